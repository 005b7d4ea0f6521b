// ranking.cpp - insertion walks the list: simple, and slow when the list is long.
#include "ranking.hpp"

#include <algorithm>

void Ranking::insert(const Match &match)
{
    if (matches.size() == limit) {
        if (!(match < matches.back()))
            return;
        matches.pop_back();
    }
    const auto place = std::find_if(matches.begin(), matches.end(),
                                    [&match](const Match &other) { return match < other; });
    matches.insert(place, match);
}

void Ranking::merge(const Ranking &other)
{
    for (const Match &match : other.matches)
        insert(match);
}
