// expect: verified options: --leaks
// A block that a global variable still holds when the program ends is not lost.
#include <stdlib.h>

struct node {
    struct node *next;
};

static struct node *list;

int main(void) {
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
    return 0;
}
