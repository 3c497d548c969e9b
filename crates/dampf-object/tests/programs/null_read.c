// expect: invalid-access
// Reading a member through a null pointer.
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node first = {1, NULL};
    struct node *volatile at = &first;
    int sum = at->value;
    at = at->next;
    sum += at->value; // fault: invalid-access
    return sum;
}
