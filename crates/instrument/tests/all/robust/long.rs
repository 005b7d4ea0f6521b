//! Every shape of text, long enough that what recurses once per level would not return.

use super::property;
use super::shapes::SHAPES;

#[test]
fn every_shape_comes_back() {
    for (name, path, text) in SHAPES {
        println!("{name}");
        property::check(text(400).as_bytes(), &property::options(path));
    }
}
