//! Prints the storm table, in English and, behind a form feed, in Chinese: a day of each fault, as built and with the defects of old.

use auk_gateway::Language;
use auk_gateway_stories::storm_table;

fn main() {
    let (built, defective) = (storm_table::days_as_built(), storm_table::days_with_the_original_defects());
    let [en_us, zh_cn] = [Language::EnUs, Language::ZhCn].map(|language| storm_table::whole(&built, &defective, language));
    print!("{en_us}\u{c}{zh_cn}");
}
