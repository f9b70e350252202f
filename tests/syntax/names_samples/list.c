#include "list.h"
#include <stdio.h>
#define EACH(item, list) for (item = (list)->first; item; item = next)
static int count;
int limit = 3;
struct node { struct node *next; int value[4]; };
static int helper(const char *name, int argc, char **argv)
{
    int dead = 1, used = 2;
    struct node *next = list_first(name);
    next->value[0] = used;
    goto out;
    count++;
out:
    switch (argc) {
    case 1:
        return 1;
        break;
    default:
        exit(2);
        printf("never %d", used);
    }
    while (argc) { continue; helper("x", 1, argv); }
    return 0;
}
int main(void) { return helper("main", 0, 0); }
