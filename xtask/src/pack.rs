//! Libraries made small for the jar: xz with the branch filter of their processor, and a table of what is there.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lzma_rust2::filter::FilterType;
use lzma_rust2::{CheckType, EncodeMode, LzmaOptions, XzOptions, XzWriter};

use crate::Workspace;
use crate::catalog::NativeTarget;
use crate::problem::Problem;
use crate::stamp::Stamp;

/// Where the loader finds the table of the libraries in the jar.
const TABLE: &str = "META-INF/auk/natives.tsv";

/// Goes up whenever the same library would be packed into other bytes.
const RECIPE: &str = "1";

/// How much effort goes into making a library small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As much as there is; some seconds.
    Shipped,
    /// Little: it never travels.
    Quick,
}

/// The jar's entries for these libraries: each packed, and the table of all.
pub(crate) fn entries(
    workspace: &Workspace,
    libraries: &[(NativeTarget, PathBuf)],
    effort: Effort,
) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let mut table = String::new();
    let mut entries = Vec::new();
    for (target, library) in libraries {
        let bytes = fs::read(library).map_err(Problem::file(library))?;
        table += &target.line(&bytes);
        entries.push((target.resource(), packed(workspace, target, library, effort)?));
    }
    entries.push((TABLE.to_owned(), table.into_bytes()));
    Ok(entries)
}

/// The library of `target` in `library`, packed; what was packed before is not packed again.
pub(crate) fn packed(workspace: &Workspace, target: &NativeTarget, library: &Path, effort: Effort) -> Result<Vec<u8>, Problem> {
    let name = match effort {
        Effort::Shipped => target.name(),
        Effort::Quick => format!("{}-quick", target.name()),
    };
    let dir = workspace.artifacts().join("natives").join("packed");
    fs::create_dir_all(&dir).map_err(Problem::file(&dir))?;
    let file = dir.join(format!("{name}.xz"));
    let stamp = dir.join(format!("{name}.stamp"));
    if !file.exists() && stamp.exists() {
        fs::remove_file(&stamp).map_err(Problem::file(&stamp))?;
    }
    Stamp::default().text(RECIPE).file(library)?.unless_done(&stamp, || {
        let bytes = fs::read(library).map_err(Problem::file(library))?;
        let packed = pack(&bytes, &target.arch, effort).map_err(Problem::file(library))?;
        fs::write(&file, packed).map_err(Problem::file(&file))
    })?;
    fs::read(&file).map_err(Problem::file(&file))
}

fn pack(bytes: &[u8], arch: &str, effort: Effort) -> io::Result<Vec<u8>> {
    let mut options = match effort {
        Effort::Shipped => XzOptions { lzma_options: smallest(bytes.len()), ..XzOptions::with_preset(9) },
        Effort::Quick => XzOptions::with_preset(0),
    };
    // The table's SHA-256 says more than any check in the file.
    options.set_check_sum_type(CheckType::Crc32);
    match arch {
        "x86_64" => options.prepend_pre_filter(FilterType::BcjX86, 0),
        "aarch64" => options.prepend_pre_filter(FilterType::BcjArm64, 0),
        other => return Err(io::Error::other(format!("there is no branch filter for {other}"))),
    }
    let mut writer = XzWriter::new(Vec::new(), options)?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// What `xz -9e` does, but for the dictionary: whoever unpacks has to have room for it, and more than the library's own size helps nothing.
fn smallest(bytes: usize) -> LzmaOptions {
    let dict_size = u32::try_from(bytes.next_power_of_two()).unwrap_or(LzmaOptions::DICT_SIZE_DEFAULT).max(1 << 16);
    LzmaOptions {
        dict_size,
        mode: EncodeMode::Normal,
        nice_len: LzmaOptions::NICE_LEN_MAX,
        depth_limit: 512,
        ..LzmaOptions::with_preset(9)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use lzma_rust2::XzReader;

    use super::{Effort, pack};

    #[test]
    fn what_is_packed_is_unpacked_to_the_same_bytes_with_either_filter() {
        // Calls of x86 and ARM64 to one place, which the filters rewrite.
        let code: Vec<u8> =
            (0..4_000_u32).flat_map(|at| [0xe8, (at % 251) as u8, (at >> 3) as u8, 0, 0, (at % 7) as u8, 0x10, 0x94]).collect();
        for arch in ["x86_64", "aarch64"] {
            for effort in [Effort::Shipped, Effort::Quick] {
                let packed = pack(&code, arch, effort).unwrap();
                assert!(packed.len() < code.len() / 2, "{arch}: {} bytes", packed.len());
                let mut unpacked = Vec::new();
                XzReader::new(packed.as_slice(), false).read_to_end(&mut unpacked).unwrap();
                assert!(unpacked == code, "{arch} {effort:?}");
            }
        }
        assert!(pack(&code, "riscv64", Effort::Quick).is_err());
    }
}
