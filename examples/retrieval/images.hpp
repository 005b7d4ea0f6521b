// images.hpp - the pictures: generated, not read, so that the example needs no data.
//
// Pictures come in families. Those of one family show the same scene with small differences, as
// photographs of one place do. A picture is a function of its number only.
#ifndef IMAGES_HPP
#define IMAGES_HPP

#include <cstdint>
#include <vector>

struct Image {
    int side = 0; // pixels in each direction
    std::vector<std::uint8_t> pixels;

    int at(int x, int y) const
    {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) +
                      static_cast<std::size_t>(x)];
    }
};

// How many pictures show the same scene.
constexpr int family_size = 8;

inline int family_of(int number)
{
    return number / family_size;
}

// Picture `number` of the database.
Image generate_image(int number, int side);

// The same picture as a user would hand it in: brighter or darker, and with noise.
Image distort(const Image &image, int seed);

#endif
