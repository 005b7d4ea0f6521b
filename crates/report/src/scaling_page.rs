//! What `pompeii scaling` says, as a page with the picture. It has all parallel regions.

use pompeii_analysis::scaling::{Region, Scaling};

use crate::plain_page::Page;
use crate::scaling::{
    mode, models_note, no_prediction, prediction_values, reason, region_rows, scaling_picture,
    size_rows,
};

/// The comparison as a page.
pub fn scaling_page(of: &Scaling) -> String {
    let mut page = Page::new("Scaling");
    page.sentence(mode(of));
    page.html(&scaling_picture(of));
    page.table(&[], size_rows(of));
    if of.predictions.is_empty() {
        page.sentence(&no_prediction(of));
    } else {
        page.heading("Wall time on more threads");
        let heads = ["", "expected", "in 95 % of the cases"].map(str::to_owned);
        page.table(&heads, of.predictions.iter().map(prediction_values));
        page.sentence(&models_note(of));
    }
    let threads: Vec<String> = of.sizes.iter().map(|size| size.threads.to_string()).collect();
    for region in &of.regions {
        self::region(&mut page, region, &threads);
    }
    page.end()
}

fn region(page: &mut Page, region: &Region, threads: &[String]) {
    page.heading(&region.label);
    let heads: Vec<String> =
        std::iter::once("Threads".to_owned()).chain(threads.iter().cloned()).collect();
    page.table(&heads, region_rows(region));
    page.sentence(&reason(region));
}
