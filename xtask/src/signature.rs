//! The signature in a library for macOS, as far as anybody can check it: the hashes of the file's pages. Its form is that of xnu,
//! `osfmk/kern/cs_blobs.h`; all its numbers are big-endian.

use std::fmt;

use sha2::{Digest, Sha256};

/// `CSMAGIC_EMBEDDED_SIGNATURE`, `CSMAGIC_CODEDIRECTORY`.
const SIGNATURE: u32 = 0xfade_0cc0;
const DIRECTORY: u32 = 0xfade_0c02;
/// `CS_ADHOC`: nobody vouches for it.
const AD_HOC: u32 = 0x2;
/// `CS_HASHTYPE_SHA256`, and its bytes.
const SHA256: u8 = 2;
const HASH_BYTES: usize = 32;
/// What is before the first entry of a signature, and the bytes of an entry: what it is, and where.
const HEAD_BYTES: usize = 12;
const ENTRY_BYTES: usize = 8;

/// What a file carries as a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Signature {
    /// None at all.
    Absent,
    /// One without a signer, and every page of the file has the hash that it says.
    AdHoc {
        /// How many.
        pages: usize,
    },
    /// One that macOS will not take, or that this does not understand, for this reason.
    Bad(String),
}

impl Signature {
    /// Reads the signature that lies in `size` bytes of `file` from `offset` on, and compares the hash of every page.
    pub(crate) fn read(file: &[u8], offset: usize, size: usize) -> Self {
        match check(file, offset, size) {
            Ok(pages) => Self::AdHoc { pages },
            Err(why) => Self::Bad(why),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => write!(out, "unsigned"),
            Self::AdHoc { pages } => write!(out, "signed ad hoc, {pages} pages with good hashes"),
            Self::Bad(why) => write!(out, "badly signed: {why}"),
        }
    }
}

/// The number of pages, all of which have their hash.
fn check(file: &[u8], offset: usize, size: usize) -> Result<usize, String> {
    let short = || "it ends too early".to_owned();
    let signature = offset.checked_add(size).and_then(|end| file.get(offset..end)).ok_or_else(short)?;
    let directory = directory(signature).ok_or("it has no list of hashes")?;
    let [flags, hashes, count, limit] = [12, 16, 28, 32].map(|at| number(directory, at));
    let &[hash_bytes, hash_type, _, page_bits] = directory.get(36..40).and_then(|bytes| bytes.first_chunk()).ok_or_else(short)?;
    if flags.ok_or_else(short)? & AD_HOC == 0 {
        return Err("it names a signer".to_owned());
    }
    if (hash_type, usize::from(hash_bytes)) != (SHA256, HASH_BYTES) {
        return Err(format!("its hashes are of kind {hash_type}"));
    }
    if limit != u32::try_from(offset).ok() {
        return Err("it does not cover all that is before it".to_owned());
    }
    // Pages are of 4 or 16 KiB; more than 31 bits would be none that can be had.
    let pages =
        file[..offset].chunks(1_usize.checked_shl(page_bits.into()).filter(|bytes| *bytes >= 4096).ok_or("its pages have no size")?);
    let hashes = directory.get(hashes.ok_or_else(short)? as usize..).ok_or_else(short)?.chunks_exact(HASH_BYTES);
    if count.map(|count| count as usize) != Some(pages.len()) || hashes.len() < pages.len() {
        return Err(format!("it has not one hash for each of {} pages", pages.len()));
    }
    let count = pages.len();
    let bad = pages.zip(hashes).filter(|(page, hash)| Sha256::digest(page).as_slice() != *hash).count();
    if bad == 0 { Ok(count) } else { Err(format!("{bad} of {count} pages have another hash")) }
}

/// The list of hashes in a signature, with its head.
fn directory(signature: &[u8]) -> Option<&[u8]> {
    if number(signature, 0)? != SIGNATURE {
        return None;
    }
    let entries = signature.get(HEAD_BYTES..)?.chunks_exact(ENTRY_BYTES).take(number(signature, 8)? as usize);
    let mut places = entries.filter_map(|entry| signature.get(number(entry, 4)? as usize..));
    places.find(|place| number(place, 0) == Some(DIRECTORY))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::Signature;

    /// Where the list of hashes lies in [`signed`]'s signature, and the hashes in it.
    const DIRECTORY_AT: u32 = 20;
    const HASHES_AT: u32 = 44;

    /// A file of three pages, the last of them a part of one, and the offset of its signature.
    fn signed() -> (Vec<u8>, usize) {
        let mut file: Vec<u8> = (0..10_000_u32).map(|at| (at % 251) as u8).collect();
        let offset = file.len();
        let hashes: Vec<u8> = file.chunks(4096).flat_map(|page| Sha256::digest(page).to_vec()).collect();
        let mut add = |numbers: &[u32]| file.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        // The signature: magic, length, entries; the entry. Then the directory: magic, length, version, flags, hashes, name, special slots,
        // slots, limit.
        add(&[0xfade_0cc0, DIRECTORY_AT + HASHES_AT + 96, 1, 0, DIRECTORY_AT]);
        add(&[0xfade_0c02, HASHES_AT + 96, 0x2_0400, 0x2_0002, HASHES_AT, 40, 0, 3, offset as u32]);
        file.extend([32, 2, 0, 12]);
        file.extend(b"auk\0");
        file.extend(hashes);
        (file, offset)
    }

    fn read((file, offset): &(Vec<u8>, usize)) -> Signature {
        Signature::read(file, *offset, file.len() - offset)
    }

    #[track_caller]
    fn bad_after(at: usize, byte: u8, words: &str) {
        let mut signed = signed();
        signed.0[at] = byte;
        let read = read(&signed);
        assert!(matches!(&read, Signature::Bad(why) if why.contains(words)), "{read:?}");
    }

    #[test]
    fn a_signature_without_a_signer_is_good_when_every_page_has_its_hash() {
        assert_eq!(read(&signed()), Signature::AdHoc { pages: 3 });
    }

    #[test]
    fn a_signature_is_bad_when_a_page_changed_or_it_is_of_another_form() {
        let directory = signed().1 + DIRECTORY_AT as usize;
        bad_after(5_000, 255, "1 of 3 pages");
        bad_after(9_999, 255, "1 of 3 pages");
        bad_after(signed().1, 0, "no list");
        bad_after(directory, 0, "no list");
        bad_after(directory + 15, 0, "names a signer");
        bad_after(directory + 31, 2, "not one hash for each");
        bad_after(directory + 35, 0, "does not cover");
        bad_after(directory + 37, 1, "of kind 1");
        bad_after(directory + 39, 64, "no size");
    }

    #[test]
    fn a_signature_that_ends_too_early_is_bad() {
        let (file, offset) = signed();
        for end in offset..file.len() {
            let read = Signature::read(&file[..end], offset, end - offset);
            assert!(matches!(read, Signature::Bad(_)), "{end}: {read:?}");
        }
        assert!(matches!(Signature::read(&file, offset, file.len()), Signature::Bad(_)), "it reaches beyond the file");
    }
}
