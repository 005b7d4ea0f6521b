/* The work of crates/otf2/examples/workload.rs by the reference library: the same arguments, the
   same events, the same line printed.

     reference write FOLDER EVENTS LOCATIONS
     reference local|merged ANCHOR                                                             */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 16, FIRST_TICK = 1000000, INSIDE_TICKS = 100, OUTSIDE_TICKS = 37, NAMES = 8 };

/* Ends the program if the library says no. */
static void must(OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, OTF2_Error_GetDescription(code));
    exit(1);
}
#define MUST(call) must(call, #call)

/* ---- writing */

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                            void *caller, bool last)
{
    return OTF2_FLUSH;
}
static OTF2_FlushCallbacks flush_callbacks = {flush, NULL};

static void write_events(OTF2_Archive *archive, uint64_t pairs, uint64_t location)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, location);
    uint64_t time = FIRST_TICK;
    for (uint64_t pair = 0; pair < pairs; pair++) {
        OTF2_RegionRef region = pair % REGIONS;
        MUST(OTF2_EvtWriter_Enter(writer, NULL, time, region));
        time += INSIDE_TICKS;
        MUST(OTF2_EvtWriter_Leave(writer, NULL, time, region));
        time += OUTSIDE_TICKS;
    }
    MUST(OTF2_Archive_CloseEvtWriter(archive, writer));
}

static void define(OTF2_Archive *archive, uint64_t events, uint64_t locations)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t ticks = (INSIDE_TICKS + OUTSIDE_TICKS) * events / 2;
    MUST(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, FIRST_TICK, ticks,
                                                   UINT64_MAX));
    const char *names[] = {"", "machine", "process", "thread"};
    for (int i = 0; i < 4; i++)
        MUST(OTF2_GlobalDefWriter_WriteString(writer, i, names[i]));
    MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 1, 1,
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    MUST(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, 2, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint64_t i = 0; i < locations; i++)
        MUST(OTF2_GlobalDefWriter_WriteLocation(writer, i, 3, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                events, 0));
    for (int i = 0; i < REGIONS; i++) {
        char name[32];
        snprintf(name, sizeof name, "function_%d", i);
        MUST(OTF2_GlobalDefWriter_WriteString(writer, NAMES + i, name));
        MUST(OTF2_GlobalDefWriter_WriteRegion(writer, i, NAMES + i, NAMES + i, 0,
                                              OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                              OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
    MUST(OTF2_Archive_CloseGlobalDefWriter(archive, writer));
}

static void write_archive(const char *folder, uint64_t events, uint64_t locations)
{
    uint64_t pairs = events / locations / 2;
    OTF2_Archive *archive = OTF2_Archive_Open(
        folder, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        exit(1);
    MUST(OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL));
    MUST(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    MUST(OTF2_Archive_OpenEvtFiles(archive));
    for (uint64_t location = 0; location < locations; location++)
        write_events(archive, pairs, location);
    MUST(OTF2_Archive_CloseEvtFiles(archive));
    MUST(OTF2_Archive_OpenDefFiles(archive));
    for (uint64_t location = 0; location < locations; location++)
        MUST(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, location)));
    MUST(OTF2_Archive_CloseDefFiles(archive));
    define(archive, 2 * pairs, locations);
    MUST(OTF2_Archive_Close(archive));
    printf("%" PRIu64 "\n", 2 * pairs * locations);
}

/* ---- reading */

static uint64_t events_seen, regions_sum, ticks_sum;
static OTF2_LocationRef *locations;
static size_t locations_seen;

static OTF2_CallbackCode on_merged(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    events_seen++, regions_sum += region, ticks_sum += time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_local(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
                                  void *data, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
    events_seen++, regions_sum += region, ticks_sum += time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    locations = realloc(locations, (locations_seen + 1) * sizeof *locations);
    locations[locations_seen++] = location;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_Reader *open_archive(const char *anchor)
{
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (!reader)
        exit(1);
    uint64_t count;
    MUST(OTF2_Reader_SetSerialCollectiveCallbacks(reader));
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    MUST(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL));
    MUST(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count));
    for (size_t i = 0; i < locations_seen; i++)
        MUST(OTF2_Reader_SelectLocation(reader, locations[i]));
    MUST(OTF2_Reader_OpenDefFiles(reader));
    MUST(OTF2_Reader_OpenEvtFiles(reader));
    for (size_t i = 0; i < locations_seen; i++) {
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, locations[i]);
        MUST(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count));
        MUST(OTF2_Reader_CloseDefReader(reader, local));
        if (!OTF2_Reader_GetEvtReader(reader, locations[i]))
            exit(1);
    }
    MUST(OTF2_Reader_CloseDefFiles(reader));
    return reader;
}

static void read_merged(OTF2_Reader *reader)
{
    uint64_t count;
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, on_merged);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, on_merged);
    MUST(OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, NULL));
    MUST(OTF2_Reader_ReadAllGlobalEvents(reader, events, &count));
    MUST(OTF2_Reader_CloseGlobalEvtReader(reader, events));
}

static void read_local(OTF2_Reader *reader)
{
    uint64_t count;
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_local);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_local);
    for (size_t i = 0; i < locations_seen; i++) {
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, locations[i]);
        MUST(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL));
        MUST(OTF2_Reader_ReadAllLocalEvents(reader, events, &count));
        MUST(OTF2_Reader_CloseEvtReader(reader, events));
    }
}

int main(int count, char **words)
{
    if (count == 5 && !strcmp(words[1], "write")) {
        write_archive(words[2], strtoull(words[3], NULL, 10), strtoull(words[4], NULL, 10));
        return 0;
    }
    bool merged = count == 3 && !strcmp(words[1], "merged");
    if (!merged && (count != 3 || strcmp(words[1], "local"))) {
        fputs("usage: reference write FOLDER EVENTS LOCATIONS | local|merged ANCHOR\n", stderr);
        return 2;
    }
    OTF2_Reader *reader = open_archive(words[2]);
    merged ? read_merged(reader) : read_local(reader);
    MUST(OTF2_Reader_CloseEvtFiles(reader));
    MUST(OTF2_Reader_Close(reader));
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", events_seen, regions_sum, ticks_sum);
    return 0;
}
