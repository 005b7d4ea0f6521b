// images.cpp - draws scenes of discs over a slope and a weave, from a random generator.
#include "images.hpp"

#include <algorithm>
#include <array>

namespace {

// splitmix64: small, and the same on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state(seed) {}

    std::uint64_t next()
    {
        std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    // A number in [low, high].
    int between(int low, int high)
    {
        return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

private:
    std::uint64_t state;
};

// Lengths in thousandths of the side.
struct Disc {
    int x, y, radius, brightness;
};

struct Scene {
    int slope_x, slope_y; // brightness gained across the picture
    int weave, weave_period;
    std::array<Disc, 6> discs;
};

Scene scene_of_family(int family)
{
    Random random(static_cast<std::uint64_t>(family) + 1000);
    Scene scene{};
    scene.slope_x = random.between(-60, 60);
    scene.slope_y = random.between(-60, 60);
    scene.weave = random.between(0, 40);
    scene.weave_period = random.between(30, 200);
    for (Disc &disc : scene.discs) {
        disc = {random.between(0, 1000), random.between(0, 1000), random.between(40, 250),
                random.between(-90, 90)};
    }
    return scene;
}

// Another photograph of the scene: everything has moved a little.
void vary(Scene &scene, Random &random)
{
    for (Disc &disc : scene.discs) {
        disc.x += random.between(-60, 60);
        disc.y += random.between(-60, 60);
        disc.radius += random.between(-15, 15);
    }
}

int brightness(const Scene &scene, int x, int y)
{
    int value = 128 + (scene.slope_x * (x - 500) + scene.slope_y * (y - 500)) / 1000;
    const bool dark_square = (x / scene.weave_period + y / scene.weave_period) % 2 != 0;
    value += dark_square ? -scene.weave : scene.weave;
    for (const Disc &disc : scene.discs) {
        const int dx = x - disc.x, dy = y - disc.y;
        if (dx * dx + dy * dy < disc.radius * disc.radius)
            value += disc.brightness;
    }
    return value;
}

std::uint8_t clamped(int value)
{
    return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

} // namespace

Image generate_image(int number, int side)
{
    Random random(static_cast<std::uint64_t>(number) * 7919 + 1);
    Scene scene = scene_of_family(family_of(number));
    vary(scene, random);

    Image image;
    image.side = side;
    image.pixels.reserve(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            image.pixels.push_back(clamped(brightness(scene, 1000 * x / side, 1000 * y / side) +
                                           random.between(-4, 4)));
    return image;
}

Image distort(const Image &image, int seed)
{
    Random random(static_cast<std::uint64_t>(seed) + 5000);
    const int brighter = random.between(-3, 3);
    Image result = image;
    for (std::uint8_t &pixel : result.pixels)
        pixel = clamped(pixel + brighter + random.between(-4, 4));
    return result;
}
