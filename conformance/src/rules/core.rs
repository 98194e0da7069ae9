//! Rules of the core specification.

mod attribute_repeated;
mod attributes_missing;
mod batch_of_several_versions;
mod binary_not_base64;
mod boolean_misspelt;
mod citizen_service_number;
mod content_type_not_a_media_type;
mod content_type_without_data;
mod control_character;
mod data_announced_as_event;
mod data_not_its_type;
mod dataschema_not_absolute;
mod dataschema_not_changed;
mod extension_not_an_attribute;
mod id_empty;
mod id_kept_on_resend;
mod id_missing;
mod id_reused;
mod integer_beyond_32_bits;
mod integer_text_misspelt;
mod lone_surrogate;
mod media_type_refused_for_capitals;
mod name_begins_with_digit;
mod name_empty;
mod name_is_data;
mod name_outside_alphabet;
mod name_too_long;
mod noncharacter;
mod repeat_dropped;
mod source_missing;
mod source_not_a_reference;
mod source_relative;
mod source_shared;
mod specversion_empty;
mod specversion_missing;
mod specversion_not_1_0;
mod subject_empty;
mod time_not_rfc_3339;
mod timestamp_malformed;
mod type_empty;
mod type_missing;
mod type_without_domain;
mod typed_value_as_text;
mod uri_not_absolute;
mod uri_reference_malformed;
mod value_nested;

use super::Definition;

pub(super) const RULES: &[Definition] = &[
    attribute_repeated::RULE,
    attributes_missing::RULE,
    batch_of_several_versions::RULE,
    binary_not_base64::RULE,
    boolean_misspelt::RULE,
    citizen_service_number::RULE,
    content_type_not_a_media_type::RULE,
    content_type_without_data::RULE,
    control_character::RULE,
    data_announced_as_event::RULE,
    data_not_its_type::RULE,
    dataschema_not_absolute::RULE,
    dataschema_not_changed::RULE,
    extension_not_an_attribute::RULE,
    id_empty::RULE,
    id_kept_on_resend::RULE,
    id_missing::RULE,
    id_reused::RULE,
    integer_beyond_32_bits::RULE,
    integer_text_misspelt::RULE,
    lone_surrogate::RULE,
    media_type_refused_for_capitals::RULE,
    name_begins_with_digit::RULE,
    name_empty::RULE,
    name_is_data::RULE,
    name_outside_alphabet::RULE,
    name_too_long::RULE,
    noncharacter::RULE,
    repeat_dropped::RULE,
    source_missing::RULE,
    source_not_a_reference::RULE,
    source_relative::RULE,
    source_shared::RULE,
    specversion_empty::RULE,
    specversion_missing::RULE,
    specversion_not_1_0::RULE,
    subject_empty::RULE,
    time_not_rfc_3339::RULE,
    timestamp_malformed::RULE,
    type_empty::RULE,
    type_missing::RULE,
    type_without_domain::RULE,
    typed_value_as_text::RULE,
    uri_not_absolute::RULE,
    uri_reference_malformed::RULE,
    value_nested::RULE,
];
