// Part of good_small_criticals: the words that gcc locks for its critical regions, each in a cache
// line of its own. Otherwise the linker places them next to each other, and the line moves between
// CPUs.
_Alignas(64) void *word_of_even __asm__(".gomp_critical_user_even");
_Alignas(64) void *word_of_odd __asm__(".gomp_critical_user_odd");
