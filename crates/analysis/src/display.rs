//! How a metric of the user's own is displayed, from the attributes that its Cube report has. Other
//! readers of the report ignore them.

use pompeii_cubex as cubex;
use pompeii_model::{Combine, Display};

use crate::load::LoadError;

/// How values of call paths are combined.
const OVER_CALLS: &str = "pompeii::over_call_paths";
/// How values of locations are combined.
const OVER_LOCATIONS: &str = "pompeii::over_locations";
/// The name of the metric that percentages refer to.
const PERCENT_OF: &str = "pompeii::percent_of";

/// What the attributes say. Without them values are added.
///
/// # Errors
/// A word that is no way to combine values.
pub(crate) fn display(metric: &cubex::Metric) -> Result<Display, LoadError> {
    let attribute = |key| {
        let found = metric.attributes.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str())
    };
    let combine = |key| match attribute(key) {
        None => Ok(Combine::Sum),
        Some(word) => Combine::from_name(word).ok_or_else(|| LoadError::Attribute {
            key,
            found: word.to_owned(),
            expected: "sum, maximum or mean",
        }),
    };
    Ok(Display {
        over_calls: combine(OVER_CALLS)?,
        over_locations: combine(OVER_LOCATIONS)?,
        percent_of: attribute(PERCENT_OF).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(attributes: &[(&str, &str)]) -> Result<Display, String> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let attributes = attributes.iter().map(own).collect();
        display(&cubex::Metric { attributes, ..cubex::Metric::default() })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn attributes_say_how_values_are_combined() {
        assert_eq!(read(&[("pompeii::counted", "true")]), Ok(Display::default()));
        let expected = Display {
            over_calls: Combine::Maximum,
            over_locations: Combine::Mean,
            percent_of: Some("time".to_owned()),
        };
        let written = [(OVER_CALLS, "maximum"), (OVER_LOCATIONS, "mean"), (PERCENT_OF, "time")];
        assert_eq!(read(&written), Ok(expected));
        let error = "attribute `pompeii::over_locations` is `most`, expected sum, maximum or mean";
        assert_eq!(read(&[(OVER_LOCATIONS, "most")]), Err(error.to_owned()));
    }
}
