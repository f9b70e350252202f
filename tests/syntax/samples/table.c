#include <stdio.h>
#define LIMIT 10
#define TWICE(x) ((x) + (x))

struct table {
    int size;
    char **names;
};

typedef struct { int key; } entry_t;

enum order { FIRST, LAST };

static int compare(const void *a, const void *b);

static char *find(struct table *table, int key)
{
    if (table == NULL || key < 0 && key > LIMIT) { /* if, ||, && */
        return NULL;
    }
    for (int i = 0; i < key; i++) { /* for */
        do { key--; } while (key); /* do */
    }
    switch (key) {
    case 1: /* case */
    case 2: /* case */
        break;
    default:
        break;
    }
    return key ? table->names[key] : NULL; /* conditional */
}

int (*callback)(int) = NULL;

int main(int argc, char **argv)
{
    return 0;
}
