// expect: verified
// What the system says about itself.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char folder[64], host[64];
    assert(getcwd(folder, sizeof folder) == folder && strcmp(folder, "/") == 0);
    assert(getcwd(folder, 1) == NULL && errno == ERANGE);
    assert(isatty(STDOUT_FILENO) == 1 && isatty(77) == 0);
    assert(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    assert(gethostname(host, sizeof host) == 0 && host[0] != '\0');
    assert(getenv("HOME") == NULL && getppid() > 0 && getpid() != getppid());
    return 0;
}
