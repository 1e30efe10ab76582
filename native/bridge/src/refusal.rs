use std::sync::LazyLock;

use auk_gateway::{CATALOGUE, RefusalKind};

/// The numbers of the gateway's catalogue that say something about a post, and what.
pub static REFUSALS: LazyLock<Vec<(i64, RefusalKind)>> = LazyLock::new(|| {
    let rows = CATALOGUE.call.rows.iter().filter(|row| !matches!(row.kind, RefusalKind::Unexpected | RefusalKind::Unknown));
    rows.flat_map(|row| row.codes().map(|code| (code, row.kind))).collect()
});
