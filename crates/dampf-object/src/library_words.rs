//! What people call the members of the classes of libstdc++, which have names that only the library knows.

/// What in a container leads to elements by several pointers at once, which are of no use to people one by one.
const ITERATORS: [&str; 2] = ["the begin iterator of {}", "the end iterator of {}"];
/// The characters of a short text. A library that compares texts reads them one after the other.
pub const BUFFER: &str = "the buffer of {}";

/// Whether the value of what has such words says something to people.
pub fn has_telling_value(words: &str) -> bool {
    !ITERATORS.contains(&words)
}

/// Words for the member that some members lead to, from the outside to the inside; `{}` stands for the object's name.
pub fn library_words(members: &[String]) -> Option<&'static str> {
    let has = |name: &str| members.iter().any(|member| member == name);
    let last = members.last()?.as_str();
    Some(match last {
        "_M_string_length" | "_M_node_count" | "_M_element_count" | "_M_size" | "_M_len" => "the length of {}",
        "_M_start" | "_M_begin" => "the begin pointer of {}",
        "_M_finish" => "the end pointer of {}",
        "_M_end_of_storage" => "the end of the storage of {}",
        // The iterators of a deque have four pointers each.
        _ if has("_M_start") => ITERATORS[0],
        _ if has("_M_finish") => ITERATORS[1],
        "_M_p" | "_M_str" => "the pointer to the text of {}",
        // The text if it is short, else how much room there is elsewhere.
        "_M_local_buf" | "_M_allocated_capacity" => BUFFER,
        "_M_map" => "the pointer to the blocks of {}",
        "_M_map_size" => "the number of blocks of {}",
        "_M_color" if has("_M_header") => "the head of {}",
        "_M_parent" if has("_M_header") => "the root of {}",
        "_M_left" if has("_M_header") => "the first link of {}",
        "_M_right" if has("_M_header") => "the last link of {}",
        "_M_next" if has("_M_node") || has("_M_head") => "the first link of {}",
        "_M_prev" if has("_M_node") => "the last link of {}",
        "_M_nxt" if has("_M_before_begin") => "the first link of {}",
        "_M_buckets" => "the pointer to the buckets of {}",
        "_M_bucket_count" => "the number of buckets of {}",
        "_M_single_bucket" => "the only bucket of {}",
        "_M_next_resize" | "_M_max_load_factor" => "the growth policy of {}",
        "_M_use_count" => "the use count of {}",
        "_M_weak_count" => "the weak count of {}",
        "_M_ptr" => "the pointer of {}",
        "_M_pi" => "the pointer to the counts of {}",
        "_M_engaged" => "whether {} has a value",
        "_M_index" => "which value {} has",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_words_by_where_they_are() {
        for (members, words) in [
            (&["_M_impl", "_M_start"][..], Some("the begin pointer of {}")),
            (&["_M_impl", "_M_start", "_M_cur"], Some("the begin iterator of {}")),
            (&["_M_t", "_M_impl", "_M_header", "_M_left"], Some("the first link of {}")),
            (&["_M_left"], None),
            (&["_M_unheard_of"], None),
            (&[], None),
        ] {
            let members: Vec<String> = members.iter().map(|&member| member.to_owned()).collect();
            assert_eq!(library_words(&members), words, "{members:?}");
        }
    }
}
