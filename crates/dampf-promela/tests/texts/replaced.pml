/* Macros and inlines. */
#define MAX 4
#define below(a) ((a) < MAX)
#define bump(v, by) v = v + by
#define name(a, b) a ## _ ## b
#if MAX > 3 && defined(below)
#  define START MAX - 1
#elif 1
#  define START 0
#else
#  error "no start"
#endif
byte name(first, count), other

inline raise(variable, amount) {
    byte before = variable
    if
    :: below(variable) -> bump(variable, amount)
    :: else -> skip
    fi
}

inline both(one, two) { raise(one, 1); raise(two,
    2)
    goto out
}

inline sum(a, b) { return a + b }

init {
    first_count = START;
    both(first_count, other)
out: other = sum(first_count, 3)
    bump(other,
         1) other = 2
}
