//! `dampf info`: what was understood of an input.

use crate::failure::Failure;
use crate::front_end::FrontEnd;
use crate::front_ends::Registry;
use crate::options::InfoOptions;
use crate::prove;
use crate::terminal::{Terminal, print};

pub fn run(options: &InfoOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    if let Some(shown) = prove::info(&options.model.input) {
        let text = shown?;
        print(|out| out.write_all(text.as_bytes()))?;
        return Ok(0);
    }
    let language = registry.of(&options.model.input)?;
    registry.refuse_unoffered(language, &options.model.input, &options.model.asked())?;
    language.info(options, terminal)
}

pub fn info<F: FrontEnd>(options: &InfoOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let front_end = F::load(&options.model.input, &options.model, None)?;
    let mut text = Vec::new();
    let written = front_end.write_info(&mut text, terminal.palette)?;
    print(|out| written.and_then(|()| out.write_all(&text)))?;
    Ok(0)
}
