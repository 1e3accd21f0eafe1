/* asset.c - keeps an imported file, or brings back the one before. See asset.h. */
#include "session/asset.h"

#include <stdlib.h>

void gz_import_accept(struct gz_pending_import *import)
{
    if (import->done != NULL) import->done(import->context, GZ_OK, "");
}

void gz_import_refuse(struct gz_asset *asset, struct gz_pending_import *import,
                      const struct gz_core_host *host, const char *why)
{
    gz_host_release(host, asset->surfaces, free);
    *asset = import->before;
    import->before = (struct gz_asset){.seq = 0};
    if (import->done != NULL) import->done(import->context, GZ_STORAGE, why);
}

void gz_import_free(struct gz_pending_import *import, const struct gz_core_host *host)
{
    gz_host_release(host, import->before.surfaces, free);
    gz_host_release(host, import->owner, import->finish);
}
