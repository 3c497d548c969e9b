// Dates: arithmetic without a clock.
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void) {
    static const time_t moments[] = {0, 951782400, 1000000000, 1582934400, -86400, 4102444800};
    int days = 0;
    for (unsigned i = 0; i < sizeof moments / sizeof *moments; i++) {
        struct tm parts;
        char text[64];
        gmtime_r(&moments[i], &parts);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %j %a %b %U", &parts);
        puts(text);
        days += parts.tm_yday;
        parts.tm_mday += 40;
        time_t later = timegm(&parts);
        printf("%ld %.0f\n", (long)later, difftime(later, moments[i]));
    }
    return days % 256;
}
