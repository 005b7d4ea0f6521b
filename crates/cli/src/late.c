/* The C part of objects that something else links, see late.rs. The definitions at the top are
   generated, and so are the routines below. */
#define SHARED __attribute__((weak, visibility("hidden")))

extern void *dlopen(const char *, int) __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));
extern long write(int, const void *, unsigned long) __attribute__((weak));
extern void POMP_Begin(void);
/* The routine that this object has; another one was linked where the archive is. */
extern const char pompeii_late_own[] __attribute__((visibility("hidden")));

static const char *const names[COUNT] = {NAMES};
static long nothing(void) { return 0; }

/* One table for all objects of a program or a shared object. */
SHARED long (*pompeii_late_table[COUNT])(void) = {[0 ... COUNT - 1] = nothing};
SHARED int pompeii_late_filled;

__attribute__((constructor)) static void fill(void) {
  static const char lost[] = "pompeii: warning: nothing is measured: " LIBRARY " cannot be loaded\n";
  const void *linked = (const void *)POMP_Begin, *own = pompeii_late_own;
  /* A compiler takes two names for two addresses. */
  __asm__("" : "+r"(linked), "+r"(own));
  if (pompeii_late_filled || linked != own) return;
  pompeii_late_filled = 1;
  /* All symbols at once, for all objects. */
  void *library = dlopen && dlsym ? dlopen(LIBRARY, 0x102) : 0;
  if (!library) {
    if (write) write(2, lost, sizeof lost - 1);
    return;
  }
  for (int i = 0; i < COUNT; i++) {
    void *routine = dlsym(library, names[i]);
    if (routine) pompeii_late_table[i] = (long (*)(void))routine;
  }
}

__asm__(".weak pompeii_late_own\n.hidden pompeii_late_own\n");
