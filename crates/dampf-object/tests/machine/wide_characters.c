// Wide characters and their conversion.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
    wchar_t wide[32];
    char narrow[32];
    size_t length = mbstowcs(wide, "wide text", 32);
    wcscat(wide, L"!");
    wide[0] = (wchar_t)towupper((wint_t)wide[0]);
    wcstombs(narrow, wide, sizeof narrow);
    printf("%s %zu %zu %d\n", narrow, length, wcslen(wide), wcscmp(wide, L"Wide") > 0);
    printf("%ls %ld\n", wcsstr(wide, L"text"), wcstol(L"123rest", NULL, 10));
    swprintf(wide, 32, L"%d-%ls", 5, L"w");
    printf("%ls\n", wide);
    return (int)wcslen(wide);
}
