#include "picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "when.h"

/* Pixels: a square for each panel, and how much of it stays free around the path. */
#define PANEL 320.0
#define MARGIN 24.0
#define LEFT 64.0
#define TOP 104.0
#define BETWEEN 72.0
#define WIDTH (LEFT + 3 * PANEL + 2 * BETWEEN + 32)
#define HEIGHT 552.0
#define LEGEND_Y (TOP + PANEL + 72)
#define COLOURS 32
/* A path that is no longer than this is a point. */
#define POINT_METRES 1e-9
#define TICKS 4 /* about so many on an axis */

/* ---- text ---- */

/* As XML has it. What XML cannot hold, control characters and two that are none, is shown as "?". */
static void put_text(FILE *out, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '&')
            fputs("&amp;", out);
        else if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else if (*at == '"')
            fputs("&quot;", out);
        else if (*at < 0x20 || *at == 0x7F)
            fputc('?', out);
        else if (at[0] == 0xEF && at[1] == 0xBF && (at[2] == 0xBE || at[2] == 0xBF))
            fputc('?', out), at += 2;
        else
            fputc(*at, out);
    }
}

/* ---- what is seen from where ---- */

struct side {
    const char *title, *right, *other;
    int u, v;   /* the axes across and along the picture */
    double v_y; /* 1: the second one grows downwards, -1: upwards */
};

static const struct side sides[] = {
    {"from above", "x", "z", 0, 2, 1},
    {"from the front", "x", "y", 0, 1, -1},
    {"from the left", "z", "y", 2, 1, -1},
};
enum { SIDES = sizeof sides / sizeof sides[0] };

struct panel {
    const struct ctl_picture *picture;
    const struct side *side;
    gz_vec3 centre;
    double x, y;  /* of its upper left corner */
    double scale; /* pixels for a metre */
};

static double pixel_x(const struct panel *panel, gz_vec3 at)
{
    return panel->x + PANEL / 2 +
           (gz_component(at, panel->side->u) - gz_component(panel->centre, panel->side->u)) * panel->scale;
}

static double pixel_y(const struct panel *panel, gz_vec3 at)
{
    double metres = gz_component(at, panel->side->v) - gz_component(panel->centre, panel->side->v);
    return panel->y + PANEL / 2 + panel->side->v_y * metres * panel->scale;
}

/* 1, 2 or 5 times a power of ten, at most `limit`. */
static double round_length(double limit)
{
    double power = pow(10, floor(log10(limit)));
    if (5 * power <= limit) return 5 * power;
    return 2 * power <= limit ? 2 * power : power;
}

/* ---- time as colour ---- */

/* When it first went anywhere: what was there before is a place, not a way. */
static double first_time(const struct ctl_picture *picture)
{
    bool is_alone = picture->count > 1 && picture->points[1].edit != picture->points[0].edit;
    return picture->points[is_alone].time;
}

/* Of the colours from the beginning to the end; the first where there is but one moment. */
static int colour_index(const struct ctl_picture *picture, double time)
{
    double first = first_time(picture), last = picture->points[picture->count - 1].time;
    double part = last > first ? (time - first) / (last - first) : 0;
    return (int)(fmin(fmax(part, 0), 1) * (COLOURS - 1) + 0.5);
}

/* "#rrggbb": dark enough on white, from blue through green to red. */
static void colour_word(int index, char word[8])
{
    static const double stops[][3] = {{38, 52, 160}, {18, 120, 190}, {20, 140, 90}, {205, 125, 0}, {190, 30, 55}};
    double place = (double)index / (COLOURS - 1) * 4;
    int stop = place < 4 ? (int)place : 3;
    double part = place - stop;
    unsigned rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)(stops[stop][i] + part * (stops[stop + 1][i] - stops[stop][i]) + 0.5);
    snprintf(word, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

/* ---- a panel ---- */

static void put_tick(FILE *out, const struct panel *panel, bool across, double metres, double pixel)
{
    double x = across ? pixel : panel->x, y = across ? panel->y + PANEL : pixel;
    fprintf(out, "<line class=\"grid\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", x, y,
            across ? x : panel->x + PANEL, across ? panel->y : y);
    if (across)
        fprintf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%.10g</text>\n", x, y + 16,
                metres);
    else
        fprintf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%.10g</text>\n", x - 6, y + 4,
                metres);
}

static void put_axis(FILE *out, const struct panel *panel, bool across)
{
    const struct side *side = panel->side;
    double middle = gz_component(panel->centre, across ? side->u : side->v), half = PANEL / 2 / panel->scale;
    double step = round_length(2 * half / TICKS);
    double direction = across ? 1 : side->v_y, corner = across ? panel->x : panel->y;
    double first = ceil((middle - half) / step);
    for (int i = 0; i < 4 * TICKS && (first + i) * step <= middle + half; i++) {
        double metres = (first + i) * step;
        double pixel = corner + PANEL / 2 + direction * (metres - middle) * panel->scale;
        put_tick(out, panel, across, metres + 0.0, pixel);
    }
}

static void put_frame(FILE *out, const struct panel *panel)
{
    const struct side *side = panel->side;
    put_axis(out, panel, true);
    put_axis(out, panel, false);
    fprintf(out, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.0f\" height=\"%.0f\"/>\n", panel->x, panel->y,
            PANEL, PANEL);
    fprintf(out, "<text class=\"panel\" x=\"%.2f\" y=\"%.2f\">%s</text>\n", panel->x, panel->y - 12, side->title);
    fprintf(out, "<text class=\"axis\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%s, metres</text>\n",
            panel->x + PANEL / 2, panel->y + PANEL + 36, side->right);
    fprintf(out, "<text class=\"axis\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s %s</text>\n", panel->x - 6,
            panel->y - 12, side->other, side->v_y > 0 ? "\xe2\x86\x93" : "\xe2\x86\x91");
}

/* ---- the edits in it ---- */

/* How many points from `first` on are of one edit. */
static size_t count_of_edit(const struct ctl_picture *picture, size_t first)
{
    size_t count = 1;
    while (first + count < picture->count && picture->points[first + count].edit == picture->points[first].edit)
        count++;
    return count;
}

static const struct ctl_picture_edit *find_edit(const struct ctl_picture *picture, uint64_t id)
{
    for (size_t i = 0; i < picture->edit_count; i++)
        if (picture->edits[i].id == id) return &picture->edits[i];
    return NULL;
}

static void put_tip(FILE *out, const struct ctl_picture *picture, size_t first, size_t count)
{
    const struct ctl_picture_point *point = &picture->points[first], *last = point + count - 1;
    const struct ctl_picture_edit *edit = find_edit(picture, point->edit);
    char when[32];
    ctl_when_write(last->time, when, sizeof when);
    fprintf(out, "<title>edit %" PRIu64, point->edit);
    if (edit != NULL) {
        fputs(", ", out);
        put_text(out, edit->user);
        fputs(": ", out);
        put_text(out, edit->words);
    }
    fprintf(out, ", %s", when);
    if (count > 1) fprintf(out, ", %.1f s", last->time - point->time);
    fputs("</title>\n", out);
}

static void begin_line(FILE *out, const struct ctl_picture *picture, const char *class, double time)
{
    char colour[8];
    colour_word(colour_index(picture, time), colour);
    fprintf(out, "<polyline class=\"%s\" stroke=\"%s\" points=\"", class, colour);
}

static void put_place(FILE *out, const struct panel *panel, gz_vec3 at, bool first)
{
    fprintf(out, "%s%.3f,%.3f", first ? "" : " ", pixel_x(panel, at), pixel_y(panel, at));
}

static void put_way(FILE *out, const struct panel *panel, size_t first, size_t count)
{
    const struct ctl_picture_point *points = panel->picture->points + first;
    begin_line(out, panel->picture, "way", points[count - 1].time);
    for (size_t i = 0; i < count; i++) put_place(out, panel, points[i].at, i == 0);
    fputs("\"/>\n", out);
}

/* To a point from the one before. Always from left to right, so that the dashes of there and back are the same. */
static void put_jump(FILE *out, const struct panel *panel, size_t to)
{
    gz_vec3 a = panel->picture->points[to - 1].at, b = panel->picture->points[to].at;
    bool swaps = pixel_x(panel, a) > pixel_x(panel, b);
    begin_line(out, panel->picture, "jump", panel->picture->points[to].time);
    put_place(out, panel, swaps ? b : a, true);
    put_place(out, panel, swaps ? a : b, false);
    fputs("\"/>\n", out);
}

/* Pieces of one colour each, that end where the next begins. */
static void put_pieces(FILE *out, const struct panel *panel, size_t first, size_t count)
{
    const struct ctl_picture *picture = panel->picture;
    size_t from = first, last = first + count - 1;
    for (size_t at = first + 1; at <= last; at++) {
        bool goes_on = at < last && colour_index(picture, picture->points[at + 1].time) ==
                                        colour_index(picture, picture->points[at].time);
        if (goes_on) continue;
        put_way(out, panel, from, at - from + 1);
        from = at;
    }
}

static void put_edit(FILE *out, const struct panel *panel, size_t first, size_t count)
{
    const struct ctl_picture *picture = panel->picture;
    gz_vec3 end = picture->points[first + count - 1].at;
    char colour[8];
    fprintf(out, "<g class=\"edit\" id=\"p%d-%zu\">\n", (int)(panel->side - sides), first);
    put_tip(out, picture, first, count);
    if (count == 1 && first > 0) put_jump(out, panel, first);
    put_pieces(out, panel, first, count);
    colour_word(colour_index(picture, picture->points[first + count - 1].time), colour);
    fprintf(out, "<circle cx=\"%.3f\" cy=\"%.3f\" r=\"2.5\" fill=\"%s\"/>\n</g>\n", pixel_x(panel, end),
            pixel_y(panel, end), colour);
}

static void put_marks(FILE *out, const struct panel *panel)
{
    const struct ctl_picture *picture = panel->picture;
    gz_vec3 start = picture->points[0].at, end = picture->points[picture->count - 1].at;
    double x = pixel_x(panel, end), y = pixel_y(panel, end);
    fprintf(out, "<circle class=\"start\" cx=\"%.3f\" cy=\"%.3f\" r=\"6\"/>\n", pixel_x(panel, start),
            pixel_y(panel, start));
    fprintf(out, "<path class=\"end\" d=\"M%.3f %.3fl6 6l-6 6l-6 -6z\"/>\n", x, y - 6);
    fprintf(out, "<text class=\"mark\" x=\"%.2f\" y=\"%.2f\">start</text>\n", pixel_x(panel, start) + 9,
            pixel_y(panel, start) - 7);
    fprintf(out, "<text class=\"mark\" x=\"%.2f\" y=\"%.2f\">end</text>\n", x + 9, y + 16);
}

static void put_panel(FILE *out, const struct panel *panel)
{
    put_frame(out, panel);
    size_t count;
    for (size_t first = 0; first < panel->picture->count; first += count) {
        count = count_of_edit(panel->picture, first);
        put_edit(out, panel, first, count);
    }
    if (panel->picture->count > 0) put_marks(out, panel);
}

/* ---- around them ---- */

static void put_head(FILE *out, const struct ctl_picture *picture)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\""
            " font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_text(out, picture->title);
    fputs("</title>\n<style>\n"
          ".grid{stroke:#e4e6ea}.frame{fill:none;stroke:#9aa0a8}.tick{font-size:11px;fill:#555}.axis{fill:#444}\n"
          ".panel{font-size:13px;font-weight:bold}.way,.jump{fill:none;stroke-width:1.8;stroke-linejoin:round;"
          "stroke-linecap:round}\n.jump{stroke-width:1.2;stroke-dasharray:3 4}.start{fill:none;stroke:#111;"
          "stroke-width:1.6}.end{fill:none;stroke:#111;stroke-width:1.6}\n"
          ".mark{font-size:11px;font-weight:bold;stroke:#fff;stroke-width:3;paint-order:stroke}\n</style>\n",
          out);
    fprintf(out,
            "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n<text x=\"24\" y=\"34\" font-size=\"18\""
            " font-weight=\"bold\">",
            WIDTH, HEIGHT);
    put_text(out, picture->title);
    fputs("</text>\n", out);
}

static bool is_first_of_user(const struct ctl_picture *picture, size_t edit)
{
    for (size_t i = 0; i < edit; i++)
        if (strcmp(picture->edits[i].user, picture->edits[edit].user) == 0) return false;
    return true;
}

/* "5 edits: anna 3, ben 2", in the order in which they came. */
static void put_people(FILE *out, const struct ctl_picture *picture)
{
    size_t edits = 0;
    for (size_t first = 0; first < picture->count; first += count_of_edit(picture, first)) edits++;
    fprintf(out, "<text x=\"24\" y=\"58\" fill=\"#444\">%zu edit%s", edits, edits == 1 ? "" : "s");
    const char *before = ": ";
    for (size_t i = 0; i < picture->edit_count; i++) {
        if (!is_first_of_user(picture, i)) continue;
        size_t own = 0;
        for (size_t j = i; j < picture->edit_count; j++)
            own += strcmp(picture->edits[j].user, picture->edits[i].user) == 0;
        fputs(before, out);
        put_text(out, picture->edits[i].user);
        fprintf(out, " %zu", own);
        before = ", ";
    }
    if (picture->left_out > 0)
        fprintf(out, "; %zu points are left out, under a parent that is deleted", picture->left_out);
    fputs("</text>\n", out);
}

static void put_time_legend(FILE *out, const struct ctl_picture *picture)
{
    char colour[8], when[32];
    double width = PANEL / COLOURS;
    for (int i = 0; i < COLOURS; i++) {
        colour_word(i, colour);
        fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"12\" fill=\"%s\"/>\n", LEFT + i * width,
                LEGEND_Y, width + 0.2, colour);
    }
    ctl_when_write(first_time(picture), when, sizeof when);
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\">%s</text>\n", LEFT, LEGEND_Y + 28, when);
    ctl_when_write(picture->points[picture->count - 1].time, when, sizeof when);
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n", LEFT + PANEL, LEGEND_Y + 28, when);
}

static void put_scale_bar(FILE *out, double scale)
{
    double metres = round_length(PANEL / 2 / scale), x = LEFT + PANEL + BETWEEN, y = LEGEND_Y + 6;
    fprintf(
        out,
        "<path class=\"scale\" fill=\"none\" stroke=\"#111\" stroke-width=\"1.6\" d=\"M%.2f %.2fv8v-4h%.3fv-4v8\"/>\n",
        x, y - 4, metres * scale);
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\">%.10g m</text>\n", x, LEGEND_Y + 28, metres);
}

static void put_mark_legend(FILE *out)
{
    double x = LEFT + 2 * (PANEL + BETWEEN), y = LEGEND_Y + 6;
    fprintf(out,
            "<circle class=\"start\" cx=\"%.2f\" cy=\"%.2f\" r=\"6\"/>\n<text x=\"%.2f\" y=\"%.2f\">start</text>\n",
            x + 6, y, x + 18, y + 4);
    fprintf(out, "<path class=\"end\" d=\"M%.2f %.2fl6 6l-6 6l-6 -6z\"/>\n<text x=\"%.2f\" y=\"%.2f\">end</text>\n",
            x + 76, y - 6, x + 88, y + 4);
    fprintf(out,
            "<line class=\"jump\" stroke=\"#222\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n"
            "<text x=\"%.2f\" y=\"%.2f\">put there, not dragged</text>\n",
            x + 134, y, x + 164, y, x + 172, y + 4);
}

/* The middle of all points, and how many pixels a metre has, so that they fit into each panel. */
static double fit(const struct ctl_picture *picture, gz_vec3 *centre)
{
    gz_box box = {{0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < picture->count; i++) {
        gz_box one = {picture->points[i].at, picture->points[i].at};
        box = i > 0 ? gz_box_union(&box, &one) : one;
    }
    gz_vec3 size = gz_sub(box.max, box.min);
    double largest = fmax(size.x, fmax(size.y, size.z));
    *centre = gz_scale(gz_add(box.min, box.max), 0.5);
    return (PANEL - 2 * MARGIN) / (largest > POINT_METRES ? largest : 1);
}

void ctl_put_picture(FILE *out, const struct ctl_picture *picture)
{
    struct panel panel = {.picture = picture, .y = TOP};
    panel.scale = fit(picture, &panel.centre);
    put_head(out, picture);
    put_people(out, picture);
    for (int i = 0; i < SIDES; i++) {
        panel.side = &sides[i];
        panel.x = LEFT + i * (PANEL + BETWEEN);
        put_panel(out, &panel);
    }
    if (picture->count > 0) put_time_legend(out, picture);
    put_scale_bar(out, panel.scale);
    put_mark_legend(out);
    fputs("</svg>\n", out);
}
