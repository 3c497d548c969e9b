// expect: verified
// expect: misaligned-access flags: -DBUG
// A packed member is read byte by byte; a pointer to it promises more than it holds.
#include <assert.h>
#include <string.h>

struct __attribute__((packed)) packed {
    char tag;
    int value;
};

int main(void) {
    struct packed packed = {'t', 77};
    char *volatile bytes = (char *)&packed;
    int value;
#ifdef BUG
    value = *(int *)(bytes + 1); // fault: misaligned-access
#else
    memcpy(&value, bytes + 1, sizeof value);
#endif
    assert(value == packed.value);
    return 0;
}
