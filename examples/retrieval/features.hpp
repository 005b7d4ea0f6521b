// features.hpp - what a picture is compared by: histograms of its tiles.
#ifndef FEATURES_HPP
#define FEATURES_HPP

#include "images.hpp"

#include <array>
#include <cstdint>

constexpr int tiles_per_side = 4;
constexpr int tiles = tiles_per_side * tiles_per_side;

// Per tile: 16 bins of brightness, 8 of edge direction, 32 of texture, each in 1/4096 of a tile.
constexpr int brightness_bins = 16, direction_bins = 8, texture_bins = 32;
constexpr int bins = brightness_bins + direction_bins + texture_bins;

using TileHistogram = std::array<std::int32_t, bins>;
using Features = std::array<TileHistogram, tiles>;

// The features of a picture. Creates one task per tile and waits for them.
Features extract_features(const Image &image);

// How different two pictures are. They may be shifted against each other by a tile.
std::int64_t distance(const Features &a, const Features &b);

#endif
