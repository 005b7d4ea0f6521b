// features.cpp - histograms in integers, so that no order of summation shows in a distance.
#include "features.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace {

constexpr std::int32_t full_scale = 4096;

// Eight directions by comparisons: which sign dx and dy have, and which one is larger.
int direction_bin(int dx, int dy)
{
    return (dx < 0 ? 4 : 0) + (dy < 0 ? 2 : 0) + (std::abs(dx) < std::abs(dy) ? 1 : 0);
}

// A local binary pattern: for five neighbours, are they brighter than the pixel itself?
int texture_bin(const Image &image, int x, int y)
{
    constexpr int threshold = 6; // above the noise of the pictures
    const int centre = image.at(x, y) + threshold;
    return (image.at(x - 1, y) > centre ? 1 : 0) + (image.at(x + 1, y) > centre ? 2 : 0) +
           (image.at(x, y - 1) > centre ? 4 : 0) + (image.at(x, y + 1) > centre ? 8 : 0) +
           (image.at(x + 1, y + 1) > centre ? 16 : 0);
}

// The border pixels of the picture have no neighbours and are left out.
TileHistogram tile_histogram(const Image &image, int tile)
{
    TileHistogram counts{};
    const int side = image.side;
    const int column = tile % tiles_per_side, row = tile / tiles_per_side;
    const int x_begin = std::max(1, side * column / tiles_per_side);
    const int x_end = std::min(side - 1, side * (column + 1) / tiles_per_side);
    const int y_begin = std::max(1, side * row / tiles_per_side);
    const int y_end = std::min(side - 1, side * (row + 1) / tiles_per_side);
    for (int y = y_begin; y < y_end; y++) {
        for (int x = x_begin; x < x_end; x++) {
            const int dx = image.at(x + 1, y) - image.at(x - 1, y);
            const int dy = image.at(x, y + 1) - image.at(x, y - 1);
            counts[static_cast<std::size_t>(image.at(x, y) / 16)]++;
            counts[static_cast<std::size_t>(brightness_bins + direction_bin(dx, dy))]++;
            counts[static_cast<std::size_t>(brightness_bins + direction_bins +
                                            texture_bin(image, x, y))]++;
        }
    }
    const std::int32_t pixels = (x_end - x_begin) * (y_end - y_begin);
    for (std::int32_t &count : counts)
        count = count * full_scale / pixels;
    return counts;
}

std::int64_t tile_distance(const TileHistogram &a, const TileHistogram &b)
{
    std::int32_t sum = 0;
    for (std::size_t bin = 0; bin < bins; bin++)
        sum += std::abs(a[bin] - b[bin]);
    return sum;
}

// Mean distance of the tiles that lie over each other when b is moved by (dx, dy) tiles.
std::int64_t shifted_distance(const Features &a, const Features &b, int dx, int dy)
{
    std::int64_t sum = 0, pairs = 0;
    for (int y = std::max(0, dy); y < std::min(tiles_per_side, tiles_per_side + dy); y++) {
        for (int x = std::max(0, dx); x < std::min(tiles_per_side, tiles_per_side + dx); x++) {
            const int in_a = y * tiles_per_side + x;
            const int in_b = (y - dy) * tiles_per_side + (x - dx);
            sum += tile_distance(a[static_cast<std::size_t>(in_a)],
                                 b[static_cast<std::size_t>(in_b)]);
            pairs++;
        }
    }
    return sum * 1000 / pairs;
}

} // namespace

Features extract_features(const Image &image)
{
    Features features;
    for (int tile = 0; tile < tiles; tile++) {
#pragma omp task shared(features, image) firstprivate(tile)
        features[static_cast<std::size_t>(tile)] = tile_histogram(image, tile);
    }
#pragma omp taskwait
    return features;
}

std::int64_t distance(const Features &a, const Features &b)
{
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            smallest = std::min(smallest, shifted_distance(a, b, dx, dy));
    return smallest;
}
