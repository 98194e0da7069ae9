//! What people run beside the daemon. Each stands above the runtime and knows nothing of the command
//! line, which gives it its options and turns what it found into an exit code.

pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod replay;
mod shown;
pub(crate) mod tail;

use crate::plan::Plan;
use crate::transport::view::OpenView;

/// What shells say of a command that ctrl-c ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// How to look at the dead letters of a route; or why that cannot be, as a sentence.
fn dead_letters(plan: &Plan, name: &str) -> Result<Box<dyn OpenView>, String> {
    let route = plan.route(name)?;
    let Some(dead_letter) = &route.dead_letter else {
        return Err(format!("route {name} has no dead letters"));
    };
    dead_letter.view().ok_or_else(|| {
        let place = dead_letter.address();
        format!("the dead letters of route {name} lie in {place}, which cannot be looked at")
    })
}
