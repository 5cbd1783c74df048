/* Write amplification of greedy garbage collection in as little C as it takes: what untimed runs are measured against.
 *
 * overwrites BLOCKS PAGES LOGICAL START CAPACITIES: PLANES planes of so many blocks of so many pages. Logical pages are
 * striped over planes, filled in order, then overwritten uniformly at random once; then so many capacities more are
 * timed. A plane collects while at most START of its blocks are free: of the blocks with the fewest valid pages the one
 * that has lost none for longest, found in a list for each number of them. Prints nanoseconds of processor time a write, and pages programmed per page written. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PLANES = 128, NONE = -1 };
typedef struct {
    int32_t *first, *last; /* By number of valid pages: the ends of the list of full blocks that have so many. */
    int32_t *free, frees, open, written, gc_open, gc_written, fewest;
} Plane;

static Plane planes[PLANES];
static int32_t blocks, pages, start, *valid, *next, *before; /* By block of the drive; of full blocks their list. */
static uint32_t *place, *holds;                              /* Page of the drive by logical page, and the reverse. */
static uint64_t programmed, state = 88172645463325252u;

static uint64_t below(uint64_t bound) { /* xorshift64*, then Lemire's multiplication. */
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (uint64_t)(((unsigned __int128)(state * 2685821657736338717u) * bound) >> 64);
}

static void link_in(Plane *p, int32_t block) {
    int32_t of = valid[block], old = p->last[of];
    before[block] = old, next[block] = NONE, p->last[of] = block;
    if (old != NONE) next[old] = block;
    else p->first[of] = block;
    if (of < p->fewest) p->fewest = of;
}

static void link_out(Plane *p, int32_t block) {
    if (before[block] == NONE) p->first[valid[block]] = next[block];
    else next[before[block]] = next[block];
    if (next[block] == NONE) p->last[valid[block]] = before[block];
    else before[next[block]] = before[block];
}

static void program(Plane *p, int32_t *open, int32_t *written, uint32_t page) {
    if (*written == pages) { /* What is open is full: victims are taken among blocks that are. */
        if (*open != NONE) link_in(p, *open);
        *open = p->free[--p->frees], *written = 0;
    }
    uint32_t at = (uint32_t)*open * (uint32_t)pages + (uint32_t)(*written)++;
    place[page] = at, holds[at] = page, valid[*open]++, programmed++;
}

static void collect(Plane *p) {
    while (p->first[p->fewest] == NONE) p->fewest++;
    int32_t victim = p->first[p->fewest];
    link_out(p, victim);
    uint32_t from = (uint32_t)victim * (uint32_t)pages;
    for (uint32_t at = from; valid[victim] && at < from + (uint32_t)pages; at++)
        if (place[holds[at]] == at) valid[victim]--, program(p, &p->gc_open, &p->gc_written, holds[at]);
    p->free[p->frees++] = victim;
}

static void overwrite(uint32_t page) {
    Plane *p = &planes[page % PLANES];
    uint32_t old = place[page];
    if (old != UINT32_MAX) {
        int32_t block = (int32_t)(old / (uint32_t)pages), full = block != p->open && block != p->gc_open;
        if (full) link_out(p, block);
        valid[block]--;
        if (full) link_in(p, block);
    }
    program(p, &p->open, &p->written, page);
    while (p->frees <= start) collect(p);
}

int main(int count, char **words) {
    if (count != 6) return fprintf(stderr, "usage: overwrites BLOCKS PAGES LOGICAL START CAPACITIES\n"), 2;
    blocks = atoi(words[1]), pages = atoi(words[2]), start = atoi(words[4]);
    uint32_t logical = (uint32_t)strtoul(words[3], NULL, 10), all = PLANES * (uint32_t)blocks;
    place = malloc(sizeof *place * logical), holds = calloc((size_t)all * (size_t)pages, sizeof *holds);
    valid = calloc(all, sizeof *valid), next = malloc(sizeof *next * all), before = malloc(sizeof *before * all);
    for (uint32_t page = 0; page < logical; page++) place[page] = UINT32_MAX;
    for (int32_t plane = 0; plane < PLANES; plane++) {
        Plane *p = &planes[plane];
        int32_t *ends = malloc(2 * sizeof *ends * ((size_t)pages + 1)), *frees = malloc(sizeof *frees * (size_t)blocks);
        for (int32_t of = 0; of < 2 * (pages + 1); of++) ends[of] = NONE;
        *p = (Plane){ends, ends + pages + 1, frees, 0, NONE, pages, NONE, pages, 0};
        for (int32_t block = blocks; block-- > 0;) p->free[p->frees++] = plane * blocks + block;
    }
    for (uint32_t page = 0; page < logical; page++) overwrite(page);
    for (uint32_t done = 0; done < logical; done++) overwrite((uint32_t)below(logical));
    uint64_t writes = (uint64_t)(atof(words[5]) * logical), begun = programmed;
    clock_t clock_begun = clock();
    for (uint64_t done = 0; done < writes; done++) overwrite((uint32_t)below(logical));
    double seconds = (double)(clock() - clock_begun) / CLOCKS_PER_SEC;
    printf("%.1f %.4f\n", seconds * 1e9 / (double)writes, (double)(programmed - begun) / (double)writes);
    return 0;
}
