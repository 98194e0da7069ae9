//! What a sender does wrong.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    FollowsRedirects,
    IgnoresSeconds,
    IgnoresDate,
    GoesOnAfter410,
    NewIdOnRepeat,
    NewSourceOnRepeat,
    NoHandshake,
    ExceedsRate,
    Batches,
    TrustsAnyone,
    TrustsAnyName,
    WrongPercentCoding,
    ControlCharacterRaw,
    OvertakesOfKey,
    CallbackWithoutGet,
    CallbackWithoutPost,
    OtherTrace,
    ReadsErrors,
    GivesUpOnHtml,
    DeliversUnasked,
    FollowsSeeOther,
    FollowsLate,
    RetriesLongAfter410,
    AsksElsewhere,
    AsksByGet,
    AsksWithoutOrigin,
    AsksForNoRate,
    TakesConsentToAnother,
    GivesUpAfterTwo,
    HasAnotherTarget,
    NewIdAfter429,
    /// To plain HTTP, where it does not trust the certificate.
    FallsBack,
    /// At once, and then it waits.
    DoublesRate,
    DataAsText,
    /// Sends when it is triggered, at any rate, and waits with what was refused alone.
    NeverHolds,
    QuotesToken,
    SchemeTwice,
    TokenUndefined,
    /// By GET, whether we are there.
    LooksIn,
    BodyAsText,
    SequenceFalls,
}

impl Fault {
    pub(crate) fn authorization(self) -> &'static str {
        match self {
            Self::QuotesToken => "Bearer \"abc\"",
            Self::SchemeTwice => "Bearer Bearer abc",
            Self::TokenUndefined => "Bearer undefined",
            _ => "Bearer abc",
        }
    }
}
