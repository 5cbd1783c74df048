/* Write amplification of garbage collection in as little C as it takes: what untimed runs are measured against.
 *
 * overwrites BLOCKS PAGES LOGICAL START CAPACITIES [VICTIM [QUEUE]]: PLANES planes of so many blocks of so many pages.
 * Logical pages are striped over planes, filled in order, then overwritten uniformly at random once; then so many
 * capacities more are timed. A plane collects while at most START of its blocks are free. VICTIM: `greedy`, of the blocks
 * with the fewest valid pages the one that has lost none for longest, found in a list for each number of them; `fifo`,
 * the one that was full first; `d-choices`, the best of eight that are drawn; `cost-benefit`, the highest
 * age * (1 - u) / 2u, for which the heads of all lists are looked at.
 *
 * With QUEUE, writes are batched by plane: they wait in a queue of so many for each plane, and a plane whose queue is full
 * does all of them, so that its tables stay in the cache. No plane's own order changes, so that every page ends where it
 * does without.
 *
 * Prints nanoseconds of processor time a write, pages programmed per page written, and a digest of where all pages are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLANES = 128, NONE = -1, DRAWN = 8, GREEDY = 0, FIFO, D_CHOICES, COST_BENEFIT, VICTIMS };
static const char *const names[VICTIMS] = {"greedy", "fifo", "d-choices", "cost-benefit"};
typedef struct {
    int32_t *first, *last; /* By number of valid pages: the ends of the list of full blocks that have so many. */
    int32_t *full, fulls;  /* Where blocks are drawn: full ones. */
    int32_t *free, frees, open, written, gc_open, gc_written, fewest;
    uint32_t *queue, queued, first_page;
    uint64_t programmed, state;
} Plane;

static Plane planes[PLANES];
static int32_t victim, blocks, pages, start, *valid, *next, *before; /* By block of the drive; of full blocks their list. */
static uint32_t *place, *holds, of_plane, room; /* Page of the drive by logical page, plane after plane; the reverse. */
static uint64_t *changed;

static uint64_t below(uint64_t *state, uint64_t bound) { /* xorshift64*, then Lemire's multiplication. */
    *state ^= *state >> 12, *state ^= *state << 25, *state ^= *state >> 27;
    return (uint64_t)(((unsigned __int128)(*state * 2685821657736338717u) * bound) >> 64);
}

static void link_in(Plane *p, int32_t block) {
    if (victim == D_CHOICES) {
        next[block] = p->fulls, p->full[p->fulls++] = block;
        return;
    }
    int32_t of = victim == FIFO ? 0 : valid[block], old = p->last[of];
    before[block] = old, next[block] = NONE, p->last[of] = block;
    if (old != NONE) next[old] = block;
    else p->first[of] = block;
    if (of < p->fewest) p->fewest = of;
    if (victim == COST_BENEFIT) changed[block] = p->programmed;
}

static void link_out(Plane *p, int32_t block) {
    if (victim == D_CHOICES) {
        int32_t moved = p->full[--p->fulls];
        p->full[next[block]] = moved, next[moved] = next[block];
        return;
    }
    int32_t of = victim == FIFO ? 0 : valid[block];
    if (before[block] == NONE) p->first[of] = next[block];
    else next[before[block]] = next[block];
    if (next[block] == NONE) p->last[of] = before[block];
    else before[next[block]] = before[block];
}

static int32_t choose(Plane *p) {
    int32_t best = NONE;
    if (victim == D_CHOICES) {
        for (int32_t drawn = 0; drawn < DRAWN; drawn++) {
            int32_t block = p->full[below(&p->state, (uint64_t)p->fulls)];
            if (best == NONE || valid[block] < valid[best]) best = block;
        }
        return best;
    }
    while (p->first[p->fewest] == NONE) p->fewest++;
    best = p->first[p->fewest];
    if (victim != COST_BENEFIT || valid[best] == 0) return best;
    uint64_t gain = 0, cost = 1; /* As fractions. */
    for (int32_t of = p->fewest; of <= pages; of++) {
        int32_t block = p->first[of];
        if (block == NONE) continue;
        uint64_t gains = (p->programmed - changed[block] + 1) * (uint64_t)(pages - of), costs = (uint64_t)of;
        if (gains * cost > gain * costs) best = block, gain = gains, cost = costs;
    }
    return best;
}

static void program(Plane *p, int32_t *open, int32_t *written, uint32_t page) {
    if (*written == pages) { /* What is open is full: victims are taken among blocks that are. */
        if (*open != NONE) link_in(p, *open);
        *open = p->free[--p->frees], *written = 0;
    }
    uint32_t at = (uint32_t)*open * (uint32_t)pages + (uint32_t)(*written)++;
    place[page] = at, holds[at] = page, valid[*open]++, p->programmed++;
}

static void collect(Plane *p) {
    int32_t block = choose(p);
    link_out(p, block);
    uint32_t from = (uint32_t)block * (uint32_t)pages;
    for (uint32_t at = from; valid[block] && at < from + (uint32_t)pages; at++)
        if (place[holds[at]] == at) valid[block]--, program(p, &p->gc_open, &p->gc_written, holds[at]);
    p->free[p->frees++] = block;
}

static void overwrite(Plane *p, uint32_t page) {
    uint32_t old = place[page];
    if (old != UINT32_MAX) {
        int32_t block = (int32_t)(old / (uint32_t)pages);
        int moves = (victim == GREEDY || victim == COST_BENEFIT) && block != p->open && block != p->gc_open;
        if (moves) link_out(p, block);
        valid[block]--;
        if (moves) link_in(p, block);
    }
    program(p, &p->open, &p->written, page);
    while (p->frees <= start) collect(p);
}

static void play(Plane *p) {
    for (uint32_t done = 0; done < p->queued; done++) overwrite(p, p->queue[done]);
    p->queued = 0;
}

static void overwrite_at_random(uint64_t writes, uint64_t logical) {
    static uint64_t state = 88172645463325252u;
    for (uint64_t done = 0; done < writes; done++) {
        uint32_t page = (uint32_t)below(&state, logical);
        Plane *p = &planes[page % PLANES];
        p->queue[p->queued++] = p->first_page + page / PLANES;
        if (p->queued == room) play(p);
    }
    for (Plane *p = planes; p < planes + PLANES; p++) play(p);
}

static uint64_t programmed(void) {
    uint64_t sum = 0;
    for (Plane *p = planes; p < planes + PLANES; p++) sum += p->programmed;
    return sum;
}

int main(int count, char **words) {
    while (count > 6 && victim < VICTIMS && strcmp(words[6], names[victim]) != 0) victim++;
    if (count < 6 || count > 8 || victim == VICTIMS)
        return fprintf(stderr, "usage: overwrites BLOCKS PAGES LOGICAL START CAPACITIES [VICTIM [QUEUE]]\n"), 2;
    blocks = atoi(words[1]), pages = atoi(words[2]), start = atoi(words[4]), room = count > 7 ? (uint32_t)atoi(words[7]) : 1;
    uint32_t logical = (uint32_t)strtoul(words[3], NULL, 10), all = PLANES * (uint32_t)blocks;
    of_plane = logical / PLANES + 1;
    place = malloc(sizeof *place * of_plane * PLANES), holds = calloc((size_t)all * (size_t)pages, sizeof *holds);
    valid = calloc(all, sizeof *valid), next = malloc(sizeof *next * all), before = malloc(sizeof *before * all);
    changed = calloc(all, sizeof *changed);
    for (uint32_t page = 0; page < of_plane * PLANES; page++) place[page] = UINT32_MAX;
    for (int32_t plane = 0; plane < PLANES; plane++) {
        Plane *p = &planes[plane];
        int32_t *ends = malloc(2 * sizeof *ends * ((size_t)pages + 1)), *lists = malloc(2 * sizeof *lists * (size_t)blocks);
        for (int32_t of = 0; of < 2 * (pages + 1); of++) ends[of] = NONE;
        *p = (Plane){.first = ends, .last = ends + pages + 1, .full = lists, .free = lists + blocks, .fewest = pages};
        p->open = p->gc_open = NONE, p->written = p->gc_written = pages;
        p->queue = malloc(sizeof *p->queue * room), p->first_page = (uint32_t)plane * of_plane, p->state = (uint64_t)plane + 1;
        for (int32_t block = blocks; block-- > 0;) p->free[p->frees++] = plane * blocks + block;
    }
    for (uint32_t page = 0; page < logical; page++)
        overwrite(&planes[page % PLANES], page % PLANES * of_plane + page / PLANES);
    overwrite_at_random(logical, logical);
    uint64_t writes = (uint64_t)(atof(words[5]) * logical), begun = programmed(), digest = 14695981039346656037u;
    clock_t clock_begun = clock();
    overwrite_at_random(writes, logical);
    double seconds = (double)(clock() - clock_begun) / CLOCKS_PER_SEC;
    for (uint32_t page = 0; page < of_plane * PLANES; page++) digest = (digest ^ place[page]) * 1099511628211u;
    printf("%.1f %.4f %016llx\n", seconds * 1e9 / (double)writes, (double)(programmed() - begun) / (double)writes,
           (unsigned long long)digest);
    return 0;
}
