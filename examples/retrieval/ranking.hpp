// ranking.hpp - the pictures found for one query, best first.
#ifndef RANKING_HPP
#define RANKING_HPP

#include <cstddef>
#include <cstdint>
#include <list>

struct Match {
    std::int64_t distance;
    int number; // of the picture

    // Equal distances are ordered by number: the ranking then does not depend on who came first.
    bool operator<(const Match &other) const
    {
        return distance != other.distance ? distance < other.distance : number < other.number;
    }
};

// A sorted list of at most `limit` matches.
class Ranking {
public:
    explicit Ranking(std::size_t list_limit) : limit(list_limit) {}

    void insert(const Match &match);
    void merge(const Ranking &other);
    const std::list<Match> &list() const { return matches; }

private:
    std::size_t limit;
    std::list<Match> matches;
};

#endif
