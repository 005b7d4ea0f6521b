// retrieval.cpp - image retrieval with nested tasks, C++17 and OpenMP.
//
// Which pictures of a database look like a given one? First the features of all pictures are
// extracted: a task per picture, and inside it a task per tile. Then each query is a task, and
// inside it the comparisons with the pictures of the database are tasks.
//
// The performance problem: every single comparison is a task of its own, and puts its result into a
// long sorted list while it holds one lock that all queries share. `--balanced` runs the repaired
// variant: a task compares a block of pictures, keeps the best few, and merges these once under the
// lock of its own query.
//
// usage: retrieval [--balanced] [IMAGES [QUERIES [SIDE]]]      default 3000 60 64
#include "features.hpp"
#include "images.hpp"
#include "ranking.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include <omp.h>

namespace {

constexpr std::size_t shown_per_query = 10; // pictures shown to the user
constexpr int block = 50;           // comparisons per task in the repaired variant

struct Options {
    int images = 3000, queries = 60, side = 64;
    bool balanced = false;
};

// What the queries brought, and what is said about all of them together.
struct Answers {
    std::vector<std::vector<Match>> shown; // per query: the best pictures
    int first_right = 0;                   // queries whose original came first
    int family_found = 0;                  // pictures shown that show the scene of the query
    std::uint64_t checksum = 0;
};

using Database = std::vector<Features>;

class Lock {
public:
    Lock() { omp_init_lock(&lock); }
    ~Lock() { omp_destroy_lock(&lock); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

    void set() { omp_set_lock(&lock); }
    void unset() { omp_unset_lock(&lock); }

private:
    omp_lock_t lock;
};

// The picture that query number `query` was made from: spread over the whole database.
int original_of(int query, const Options &options)
{
    return static_cast<int>(static_cast<std::int64_t>(query) * options.images / options.queries);
}

Database extract_database(const Options &options)
{
    Database database(static_cast<std::size_t>(options.images));
#pragma omp parallel
#pragma omp single
    for (int number = 0; number < options.images; number++) {
#pragma omp task shared(database, options) firstprivate(number)
        {
            const Image image = generate_image(number, options.side);
            database[static_cast<std::size_t>(number)] = extract_features(image);
        }
    }
    return database;
}

// One task per comparison, one lock for everything.
Ranking answer(const Features &query, const Database &database, Lock &lock)
{
    Ranking ranking(database.size());
    for (std::size_t number = 0; number < database.size(); number++) {
#pragma omp task shared(query, database, ranking, lock) firstprivate(number)
        {
            const Match match{distance(query, database[number]), static_cast<int>(number)};
            lock.set();
            ranking.insert(match);
            lock.unset();
        }
    }
#pragma omp taskwait
    return ranking;
}

// One task per block of comparisons, short lists, one merge per block, one lock per query.
Ranking answer_balanced(const Features &query, const Database &database)
{
    Lock lock;
    Ranking ranking(shown_per_query);
    for (std::size_t begin = 0; begin < database.size(); begin += block) {
#pragma omp task shared(query, database, ranking, lock) firstprivate(begin)
        {
            const std::size_t end = std::min(begin + block, database.size());
            Ranking best(shown_per_query);
            for (std::size_t number = begin; number < end; number++)
                best.insert({distance(query, database[number]), static_cast<int>(number)});
            lock.set();
            ranking.merge(best);
            lock.unset();
        }
    }
#pragma omp taskwait
    return ranking;
}

// Sums over queries are integers: their order does not matter.
void count_answers(const std::vector<Match> &shown, int query, int original, Answers &answers)
{
#pragma omp critical(statistics)
    {
        answers.first_right += shown.front().number == original ? 1 : 0;
        std::uint64_t weight = static_cast<std::uint64_t>(query) * shown_per_query;
        for (const Match &match : shown) {
            answers.family_found += family_of(match.number) == family_of(original) ? 1 : 0;
            answers.checksum +=
                static_cast<std::uint64_t>(match.distance * 31 + match.number) * ++weight;
        }
    }
}

Features features_of_query(int query, const Options &options)
{
    return extract_features(
        distort(generate_image(original_of(query, options), options.side), query));
}

Answers answer_all(const Database &database, const Options &options)
{
    Answers answers;
    answers.shown.resize(static_cast<std::size_t>(options.queries));
    Lock lock;
#pragma omp parallel
#pragma omp single
    for (int query = 0; query < options.queries; query++) {
#pragma omp task shared(database, options, answers, lock) firstprivate(query)
        {
            const Features features = features_of_query(query, options);
            const Ranking ranking = options.balanced ? answer_balanced(features, database)
                                                     : answer(features, database, lock);
            std::vector<Match> &shown = answers.shown[static_cast<std::size_t>(query)];
            shown.assign(ranking.list().begin(),
                         std::next(ranking.list().begin(), shown_per_query));
            count_answers(shown, query, original_of(query, options), answers);
        }
    }
    return answers;
}

// Answers a few queries again, serially, by sorting all distances, and compares with what the tasks
// found. At least nine of ten queries must have found their original.
bool is_valid(const Answers &answers, const Database &database, const Options &options)
{
    for (int query = 0; query < std::min(options.queries, 3); query++) {
        const Features features = features_of_query(query, options);
        std::vector<Match> expected;
        for (std::size_t number = 0; number < database.size(); number++)
            expected.push_back(
                {distance(features, database[number]), static_cast<int>(number)});
        std::sort(expected.begin(), expected.end());
        const std::vector<Match> &shown = answers.shown[static_cast<std::size_t>(query)];
        for (std::size_t place = 0; place < shown_per_query; place++)
            if (shown[place].number != expected[place].number)
                return false;
    }
    return answers.first_right * 10 >= options.queries * 9;
}

[[noreturn]] void usage()
{
    std::fprintf(stderr, "usage: retrieval [--balanced] [IMAGES [QUERIES [SIDE]]]\n"
                         "       IMAGES at least 10, QUERIES 1 to IMAGES, SIDE 16 to 1024\n");
    std::exit(2);
}

Options read_options(int argc, char **argv)
{
    Options options;
    int *const positions[] = {&options.images, &options.queries, &options.side};
    std::size_t position = 0;
    for (int a = 1; a < argc; a++) {
        if (std::strcmp(argv[a], "--balanced") == 0) {
            options.balanced = true;
            continue;
        }
        char *rest = nullptr;
        const long value = std::strtol(argv[a], &rest, 10);
        if (position == 3 || *rest != '\0' || value < 1 || value > 1000000)
            usage();
        *positions[position++] = static_cast<int>(value);
    }
    if (options.images < static_cast<int>(shown_per_query) || options.queries > options.images ||
        options.side < 16 || options.side > 1024)
        usage();
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv);
    const Database database = extract_database(options);
    const Answers answers = answer_all(database, options);
    const bool valid = is_valid(answers, database, options);
    std::printf("retrieval: %d images, %d queries, %d originals first, %d of %d answers from the "
                "family, checksum %016" PRIx64 ", %s\n",
                options.images, options.queries, answers.first_right, answers.family_found,
                options.queries * static_cast<int>(shown_per_query), answers.checksum,
                valid ? "valid" : "INVALID");
    return valid ? 0 : 1;
}
