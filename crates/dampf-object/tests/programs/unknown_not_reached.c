// expect: verified
// What is never called need not be supported.
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    volatile int never = 0;
    if (never) return socket(AF_INET, SOCK_STREAM, 0) + fork();
    return 0;
}
