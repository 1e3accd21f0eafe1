/* metrics.h - the host's health and metrics. Threads: the loop's. */
#ifndef GZ_HOST_METRICS_H
#define GZ_HOST_METRICS_H

#include "host/scenes.h"

/* Whether the disk takes the commits of all open scenes in time; if not, `error` says why. */
bool gz_scenes_are_healthy(const struct gz_scenes *scenes, struct gz_error *error);
/* Appends the metrics of the open scenes, in Prometheus' text format. False without memory. */
bool gz_scenes_measure(const struct gz_scenes *scenes, struct gz_buffer *out);
/* The same for the cluster. */
bool gz_cluster_measure(struct gz_cluster *cluster, struct gz_buffer *out);

#endif
