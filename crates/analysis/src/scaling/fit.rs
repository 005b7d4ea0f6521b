//! Models of the wall time over the number of threads, fitted to measured runs, and what they say
//! about runs that were not made.
//!
//! | model | time with n threads | source |
//! |---|---|---|
//! | Amdahl | a + b / n | Amdahl, 1967 |
//! | USL | a / n + b (n - 1) / n + c (n - 1) | Gunther, 2007: contention b, coherency c |
//! | weak, linear | a + b (n - 1) | work per thread stays the same |
//! | weak, logarithmic | a + b ln n | collective operations as trees |
//!
//! All are sums of known functions with factors that are not negative. The fit makes the sum of the
//! squares of relative errors the smallest, because noise grows with time.
//!
//! Which model is true is not known, so the interval of a prediction has the intervals of all
//! models in it. That of a model is the one of the value itself for 95 %, by Student's
//! distribution. Noise cannot be estimated below 1 % from a few runs.

/// A known function of the number of threads.
type Term = fn(f64) -> f64;

/// A model that may be true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Its name.
    pub name: &'static str,
    terms: &'static [Term],
}

/// Models if the whole work stays the same.
pub(super) const STRONG: [Shape; 2] = [
    Shape { name: "Amdahl", terms: &[|_| 1.0, |n| 1.0 / n] },
    Shape { name: "USL", terms: &[|n| 1.0 / n, |n| (n - 1.0) / n, |n| n - 1.0] },
];

/// Models if the work of a thread stays the same.
pub(super) const WEAK: [Shape; 2] = [
    Shape { name: "linear", terms: &[|_| 1.0, |n| n - 1.0] },
    Shape { name: "logarithmic", terms: &[|_| 1.0, f64::ln] },
];

/// A prediction needs runs on at least this many different numbers of threads.
pub const POINTS_MIN: usize = 3;

/// Relative noise that is assumed at least.
const NOISE_MIN: f64 = 0.01;

/// Student's distribution: 97.5 % are below this, by degrees of freedom from 1 on. For more of
/// them the last one is used, which is a little too large.
const STUDENT: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Relative error of the measured runs, as the root of the mean of squares.
    pub error: f64,
    factors: Vec<f64>,
    /// What the factors' errors have in common, by term; 0 for terms that are not used.
    spread: Vec<Vec<f64>>,
    /// How far the interval goes, in units of the spread.
    reach: f64,
    terms: &'static [Term],
}

/// A value that was not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Number of threads.
    pub threads: f64,
    /// Seconds, by the model with the smallest error.
    pub seconds: f64,
    /// The least that is probable.
    pub low: f64,
    /// The most that is probable.
    pub high: f64,
}

impl Model {
    /// Fits a model to times by number of threads. `None` if there are too few.
    pub(super) fn fit(shape: Shape, points: &[(f64, f64)]) -> Option<Self> {
        let mut used: Vec<usize> = (0..shape.terms.len()).collect();
        loop {
            if points.len() < used.len() || used.is_empty() {
                return None;
            }
            let (factors, inverse) = least_squares(shape.terms, &used, points)?;
            let least = (0..used.len()).min_by(|&a, &b| factors[a].total_cmp(&factors[b]))?;
            if factors[least] < 0.0 {
                used.remove(least);
                continue;
            }
            return Some(Self::new(
                shape,
                points,
                (used.as_slice(), factors.as_slice(), inverse.as_slice()),
            ));
        }
    }

    fn new(
        shape: Shape,
        points: &[(f64, f64)],
        (used, some, inverse): (&[usize], &[f64], &[Vec<f64>]),
    ) -> Self {
        let count = shape.terms.len();
        let (mut factors, mut spread) = (vec![0.0; count], vec![vec![0.0; count]; count]);
        for (a, &term) in used.iter().enumerate() {
            factors[term] = some[a];
            for (b, &other) in used.iter().enumerate() {
                spread[term][other] = inverse[a][b];
            }
        }
        let value = |n: f64| -> f64 {
            shape.terms.iter().zip(&factors).map(|(term, factor)| factor * term(n)).sum()
        };
        let squares: f64 = points.iter().map(|&(n, time)| (value(n) / time - 1.0).powi(2)).sum();
        let free = points.len() - used.len();
        let noise = match free {
            0 => NOISE_MIN,
            free => (squares / free as f64).sqrt().max(NOISE_MIN),
        };
        let student = STUDENT[free.clamp(1, STUDENT.len()) - 1];
        // Without a degree of freedom there is no estimate of the noise, and the reach of another
        // model tells more.
        let student = if free == 0 { STUDENT[STUDENT.len() - 1] } else { student };
        Self {
            name: shape.name,
            error: (squares / points.len().max(1) as f64).sqrt(),
            factors,
            spread,
            reach: noise * student,
            terms: shape.terms,
        }
    }

    /// The time with this number of threads, in seconds.
    pub fn value(&self, threads: f64) -> f64 {
        self.terms.iter().zip(&self.factors).map(|(term, factor)| factor * term(threads)).sum()
    }

    /// How far from this the true value may be.
    fn uncertainty(&self, threads: f64) -> f64 {
        let terms: Vec<f64> = self.terms.iter().map(|term| term(threads)).collect();
        let rows = terms.iter().zip(&self.spread).map(|(term, row)| {
            let sum: f64 = terms.iter().zip(row).map(|(other, of)| other * of).sum();
            term * sum
        });
        self.reach * rows.sum::<f64>().max(0.0).sqrt()
    }
}

/// What the models say about a number of threads; `None` without models.
pub(super) fn predict(models: &[Model], threads: f64) -> Option<Prediction> {
    let best = models.iter().min_by(|a, b| a.error.total_cmp(&b.error))?;
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for model in models {
        let (value, reach) = (model.value(threads), model.uncertainty(threads));
        low = low.min((value - reach).max(0.0));
        high = high.max(value + reach);
    }
    Some(Prediction { threads, seconds: best.value(threads), low, high })
}

/// Factors and the inverse of the matrix of the normal equations, with weights 1 / time^2.
fn least_squares(
    terms: &[Term],
    used: &[usize],
    points: &[(f64, f64)],
) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let count = used.len();
    let mut matrix = vec![vec![0.0; count]; count];
    let mut right = vec![0.0; count];
    for &(n, time) in points.iter().filter(|(_, time)| *time > 0.0) {
        let row: Vec<f64> = used.iter().map(|&term| terms[term](n) / time).collect();
        for a in 0..count {
            right[a] += row[a];
            for b in 0..count {
                matrix[a][b] += row[a] * row[b];
            }
        }
    }
    let inverse = inverted(matrix)?;
    let product = |row: &Vec<f64>| -> f64 { row.iter().zip(&right).map(|(a, b)| a * b).sum() };
    Some((inverse.iter().map(product).collect(), inverse))
}

/// The inverse of a small matrix (Gauss and Jordan, with pivots); `None` if there is none.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let unit =
        |row: usize| -> Vec<f64> { (0..count).map(|at| f64::from(u8::from(at == row))).collect() };
    let mut inverse: Vec<Vec<f64>> = (0..count).map(unit).collect();
    for column in 0..count {
        let largest =
            |&a: &usize, &b: &usize| matrix[a][column].abs().total_cmp(&matrix[b][column].abs());
        let pivot = (column..count).max_by(largest)?;
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let divisor = matrix[column][column];
        if divisor.abs() < f64::MIN_POSITIVE {
            return None;
        }
        for values in [&mut matrix, &mut inverse] {
            values[column].iter_mut().for_each(|value| *value /= divisor);
        }
        for row in (0..count).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for values in [&mut matrix, &mut inverse] {
                let pivot_row = values[column].clone();
                values[row].iter_mut().zip(pivot_row).for_each(|(of, by)| *of -= factor * by);
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(shapes: &[Shape], points: &[(f64, f64)]) -> Vec<Model> {
        shapes.iter().filter_map(|&shape| Model::fit(shape, points)).collect()
    }

    fn points(time: impl Fn(f64) -> f64, sizes: &[f64]) -> Vec<(f64, f64)> {
        sizes.iter().map(|&n| (n, time(n))).collect()
    }

    #[test]
    fn exact_times_have_exact_models() {
        let amdahl = |n: f64| 2.0 + 8.0 / n;
        let all = models(&STRONG, &points(amdahl, &[1.0, 2.0, 4.0, 8.0]));
        let at = predict(&all, 64.0).unwrap();
        assert!((at.seconds - amdahl(64.0)).abs() < 1e-6, "{at:?}");
        assert!(at.low <= amdahl(64.0) && amdahl(64.0) <= at.high, "{at:?}");
        let usl = |n: f64| 10.0 / n + 0.5 * (n - 1.0) / n + 0.01 * (n - 1.0);
        let all = models(&STRONG, &points(usl, &[1.0, 2.0, 4.0, 8.0]));
        let at = predict(&all, 64.0).unwrap();
        assert!((at.seconds - usl(64.0)).abs() < 1e-6, "{at:?}");
    }

    #[test]
    fn factors_are_not_negative() {
        // Faster than in proportion: caches. No model has negative times.
        let all = models(&STRONG, &points(|n| 10.0 / (n * n), &[1.0, 2.0, 4.0]));
        for model in &all {
            assert!(model.factors.iter().all(|&factor| factor >= 0.0), "{model:?}");
        }
        assert!(predict(&all, 1024.0).unwrap().low >= 0.0);
    }

    /// A number between -1 and 1 that looks random, from a counter.
    fn noise(seed: u64) -> f64 {
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Programs from almost perfect to hardly parallel, with a noise of 3 %: what they take on two
    /// to eight times as many threads is in the interval in at least 90 % of the cases.
    #[test]
    fn the_truth_is_in_the_interval() {
        let (mut inside, mut all) = (0, 0);
        for case in 0..200_u64 {
            let serial = 0.001 * 2.0_f64.powi((case % 9) as i32);
            let coherency = [0.0, 1e-5, 1e-4, 1e-3][(case / 9 % 4) as usize];
            let truth = |n: f64| 10.0 * ((1.0 - serial) / n + serial + coherency * (n - 1.0));
            let count = 3 + (case % 4) as usize;
            let sizes: Vec<f64> = (0..count).map(|at| 2.0_f64.powi(at as i32)).collect();
            let measured = sizes
                .iter()
                .enumerate()
                .map(|(at, &n)| (n, truth(n) * (1.0 + 0.03 * noise(case * 16 + at as u64))));
            let models = models(&STRONG, &measured.collect::<Vec<_>>());
            for more in [2.0, 4.0, 8.0] {
                let n = sizes[count - 1] * more;
                let at = predict(&models, n).unwrap();
                inside += u32::from(at.low <= truth(n) && truth(n) <= at.high);
                all += 1;
            }
        }
        assert!(f64::from(inside) >= 0.9 * f64::from(all), "{inside} of {all}");
    }
}
