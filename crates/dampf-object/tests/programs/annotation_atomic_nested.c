// expect: verified
// Regions do not nest: the first end ends them. An end without a beginning does nothing.
#include <dampf.h>

int main(void) {
    ENDATOMIC;
    BEGINATOMIC;
    BEGINATOMIC;
    ENDATOMIC;
    ENDATOMIC;
    return 0;
}
