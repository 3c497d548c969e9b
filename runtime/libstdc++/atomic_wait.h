// Waiting for an atomic in libstdc++, without the spinning.
//
// Before a thread goes to sleep, the library asks up to sixteen times whether what it waits for has come. Each time is a step and the count
// is part of the state, so three threads at a latch have millions of states, and all the runs among them end in the same ways: whoever
// asks again and is lucky could have asked for the first time then, since asking in vain changes nothing; and whoever asks in vain
// sixteen times can do so in a row. So asking once leaves out no outcome and adds none.
//
// This file is found before the library's own of the same name.

#ifndef DAMPF_ATOMIC_WAIT_H
#define DAMPF_ATOMIC_WAIT_H

#pragma GCC system_header

#include_next <bits/atomic_wait.h>

// From 15 on the library does this in other words.
#if defined __cpp_lib_atomic_wait && _GLIBCXX_RELEASE < 15

namespace std _GLIBCXX_VISIBILITY(default) {
namespace __detail {

// More special than the library's, and so preferred to it wherever nothing else was asked for.
template <typename _Pred> bool __atomic_spin(_Pred &__pred, __default_spin_policy) noexcept { return __pred(); }

} // namespace __detail
} // namespace std

#endif

#endif
