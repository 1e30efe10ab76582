//! The mod's icon, drawn from letters, so that no binary file lies in the repository.

use crate::Workspace;
use crate::problem::Problem;
use std::fs;

const DRAWING: &str = "java-shim/fabric/icon.txt";
/// Pixels of the picture that one letter becomes, in either direction.
const SCALE: usize = 8;

/// The picture as a PNG file. Each letter of the drawing is one colour of [`colour`].
pub(crate) fn png(workspace: &Workspace) -> Result<Vec<u8>, Problem> {
    let path = workspace.root.join(DRAWING);
    let text = fs::read_to_string(&path).map_err(Problem::file(&path))?;
    let rows: Vec<Vec<[u8; 4]>> = text.lines().map(|line| line.chars().map(colour).collect::<Result<_, _>>()).collect::<Result<_, _>>()?;
    let width = rows.first().map_or(0, Vec::len);
    if width == 0 || rows.iter().any(|row| row.len() != width) {
        return Err(Problem::Data { file: DRAWING, what: "its lines are not of one length".to_owned() });
    }
    let pixels: Vec<u8> = rows.iter().flat_map(|row| std::iter::repeat_n(row, SCALE)).flat_map(|row| enlarged(row)).collect();
    encode(width * SCALE, rows.len() * SCALE, &pixels)
        .map_err(|error| Problem::Data { file: DRAWING, what: format!("it cannot be written as PNG: {error}") })
}

fn enlarged(row: &[[u8; 4]]) -> impl Iterator<Item = u8> + '_ {
    row.iter().flat_map(|pixel| std::iter::repeat_n(*pixel, SCALE)).flatten()
}

fn encode(width: usize, height: usize, pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0));
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(bytes)
}

/// Red, green, blue and how solid.
fn colour(letter: char) -> Result<[u8; 4], Problem> {
    match letter {
        '.' => Ok([0, 0, 0, 0]),
        'k' => Ok([31, 35, 45, 255]),
        'w' => Ok([244, 244, 240, 255]),
        'o' => Ok([240, 140, 40, 255]),
        'b' => Ok([120, 180, 220, 255]),
        _ => Err(Problem::Data { file: DRAWING, what: format!("the letter {letter} is no colour") }),
    }
}
