# Planted faults, which test the simulation itself. Each one is a mistake in one file, and the simulation has to find it.

# gizmod_planted_fault(NAME FILE server/core/x.c FROM "..." TO "..."): the simulation with this mistake. The file with the
# mistake becomes a library that is loaded before the core and replaces the right file.
# LONG: the fault takes so many seeds that only the long suite looks for it; its text is planted all the same, which says whether
# it is still there.
function(gizmod_planted_fault name)
    cmake_parse_arguments(PARSE_ARGV 1 FAULT "LONG" "FILE;FROM;TO;SEEDS" "")
    if(NOT FAULT_SEEDS)
        set(FAULT_SEEDS $<IF:$<BOOL:${FAULT_LONG}>,10000,1500>)
    endif()
    set(source ${CMAKE_SOURCE_DIR}/${FAULT_FILE})
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/faults/${name}.c)
    file(CONFIGURE OUTPUT ${copy}.from CONTENT "${FAULT_FROM}" @ONLY)
    file(CONFIGURE OUTPUT ${copy}.to CONTENT "${FAULT_TO}" @ONLY)
    add_custom_command(OUTPUT ${copy}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DCOPY=${copy} -P ${CMAKE_CURRENT_SOURCE_DIR}/plant.cmake
        DEPENDS ${source} ${copy}.from ${copy}.to ${CMAKE_CURRENT_SOURCE_DIR}/plant.cmake VERBATIM)
    set(fault sim_fault_${name})
    if(FAULT_LONG AND NOT GIZMOD_LONG)
        add_custom_target(${fault} ALL DEPENDS ${copy})
        return()
    endif()
    add_library(${fault} MODULE ${copy})
    target_link_libraries(${fault} PRIVATE sim_tight)
    # A mistake may leave something unused.
    target_compile_options(${fault} PRIVATE -w)
    set_target_properties(${fault} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faults)
    add_test(NAME ${fault} COMMAND ${CMAKE_COMMAND}
        -DSIM=$<TARGET_FILE:sim> -DFAULT=$<TARGET_FILE:${fault}> -DSEEDS=${FAULT_SEEDS}
        -P ${CMAKE_CURRENT_SOURCE_DIR}/found.cmake)
    set_tests_properties(${fault} PROPERTIES LABELS $<IF:$<BOOL:${FAULT_LONG}>,long,sim> TIMEOUT 600 RESOURCE_GROUPS processors:1)
endfunction()

# ---- the disk ----

gizmod_planted_fault(ok_before_commit FILE server/core/pending.c
    FROM "    append(core, pending);
    return GZ_OK;
}

static void answer_unchanged"
    TO "    append(core, pending);
    struct gz_journal_outcome outcome = {.has = GZ_HAS_OK_SEQ | GZ_HAS_OK_EDIT};
    outcome.ok.seq = edit->seq, outcome.ok.edit = edit->id;
    gz_core_answer(core, &pending->entry.waiter, &outcome);
    return GZ_OK;
}

static void answer_unchanged")
gizmod_planted_fault(saved_one_too_high FILE server/core/commit.c
    FROM "gz_feed_saved(core->feed, batch->seq," TO "gz_feed_saved(core->feed, batch->seq + 1,")
gizmod_planted_fault(refused_edit_leaves_a_change FILE server/core/pending.c
    FROM "gz_scene_apply(core->scene, back, edit->change_count, 0" TO "gz_scene_apply(core->scene, back, 1, 0")
gizmod_planted_fault(refused_edit_stays_undoable FILE server/core/pending.c
    FROM "    gz_undo_remove(core->undo, edit->id);" TO "")
# A drag ends all the same if the edit made its node: without the node the mistake ends the program.
gizmod_planted_fault(drag_outlives_refused_edit FILE server/core/commit.c
    FROM "    if (touched == 0) return;"
    TO "    if (touched == 0 || gz_scene_find(session->core->scene, gesture->ids[0])->born <= session->core->stored_seq)
        return;")
gizmod_planted_fault(failed_commit_accepted FILE server/core/commit.c
    FROM "if (status == GZ_OK)
        accept_batch" TO "if (status != GZ_NO_MEMORY)
        accept_batch")
gizmod_planted_fault(key_forgotten FILE server/core/pending.c
    FROM "enum gz_status status =
        host->find_key(host->context, session->user, key, &session->core->scratch, edit);"
    TO "enum gz_status status = GZ_OK;
    edit->id = 0;")
gizmod_planted_fault(key_of_waiting_edit_forgotten FILE server/core/pending.c
    FROM "gz_journal_find(journal, &gz_pending_edits, session->user, request->key)" TO "NULL")

# ---- answers that rely on what is not on the disk ----

gizmod_planted_fault(answer_does_not_wait FILE server/core/answers.c
    FROM "    if (is_unsaved(core)) {
        gz_journal_follow" TO "    if (core == NULL) {
        gz_journal_follow")
gizmod_planted_fault(answer_outlives_refused_commit FILE server/core/answers.c
    FROM "    gz_fail(&outcome->error, GZ_STORAGE,
            \"the answer relied on a change that could not be stored and was taken back: %s\", why);"
    TO "    *outcome = ((const struct held_answer *)entry)->outcome;")
gizmod_planted_fault(answer_leaves_with_an_earlier_batch FILE server/core/journal.c
    FROM "const bool is_sent = !is_ahead && !has_unsent(journal);"
    TO "const bool is_sent = journal->sent > journal->settled && !has_unsent(journal); (void)is_ahead;")
gizmod_planted_fault(unchanged_edit_does_not_wait FILE server/core/pending.c
    FROM "    gz_session_ok_seq(request->session, &asked);"
    TO "    struct gz_ok ok = {.seq = gz_scene_seq(request->session->core->scene)};
    gz_session_ok(request->session, &asked, GZ_HAS_OK_SEQ, &ok);")
gizmod_planted_fault(refusal_does_not_wait FILE server/core/dispatch.c
    FROM "waits = status != GZ_OK && row->edits &&" TO "waits = row == NULL &&")
gizmod_planted_fault(refusal_after_a_question_does_not_wait LONG FILE server/core/history.c
    FROM "gz_session_refuse_stored(session, ticket->has_rid, ticket->rid, &failure)))" TO "false))")
gizmod_planted_fault(cancel_does_not_wait FILE server/core/pointer.c
    FROM "    if (holds)
        gz_session_ok_stored(session" TO "    if (holds)
        gz_session_ok(session")
gizmod_planted_fault(wheel_does_not_wait_for_its_edit FILE server/core/pointer.c
    FROM "gz_session_ok_turn(session, message);" TO "gz_session_ok_seq(session, message);")

# ---- tokens that end ----

gizmod_planted_fault(token_by_the_times_of_the_scene FILE server/core/join.c
    FROM "core->clock.wall_s >= claims" TO "core->clock.now.unix_s >= claims")
gizmod_planted_fault(session_ends_by_the_times_of_the_scene FILE server/core/roles.c
    FROM "core->clock.wall_s + 1e-3 >= unix_s" TO "core->clock.now.unix_s + 1e-3 >= unix_s")
gizmod_planted_fault(session_outlives_its_token FILE server/core/roles.c
    FROM "        if (is_past(core, session->rights.expires_unix_s))" TO "        if (is_past(core, session->rights.expires_unix_s + 1))")

# ---- locks and drags ----

gizmod_planted_fault(lock_not_taken FILE server/scene/scene.c
    FROM "        node->holder = grip.session;" TO "")
gizmod_planted_fault(lock_of_others_taken FILE server/scene/scene.c
    FROM "if (node == NULL || node->gone || (node->holder != 0 && !gz_grip_has(grip, node))) {"
    TO "if (node == NULL || node->gone) {")
gizmod_planted_fault(lock_not_released_on_leave FILE server/core/join.c
    FROM "gz_interaction_finish_all(session);
    depart(session);" TO "depart(session);")
gizmod_planted_fault(wrong_holder_named FILE server/scene/apply.c
    FROM "plan->failure->holder = node->holder;" TO "plan->failure->holder = node->holder + 1;")
gizmod_planted_fault(holder_named_by_another_name FILE server/core/session.c
    FROM "label, holder->user);" TO "label, label);")
gizmod_planted_fault(cancel_forgets_a_node FILE server/core/gesture.c
    FROM "for (size_t i = 0; i < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        gz_scene_pose("
    TO "for (size_t i = 0; i + (gesture->count > 1) < gesture->count; i++) {
        const struct gz_gesture_target *target = &gesture->targets[i];
        gz_scene_pose(")
gizmod_planted_fault(large_drag_not_settled FILE server/core/interaction.c
    FROM "if (!gz_gesture_is_sampled(gesture))" TO "if (gz_gesture_is_sampled(gesture))")
gizmod_planted_fault(start_of_large_drag_forgotten LONG FILE server/core/commit.c
    FROM "if (target->start_seq <= core->sent_seq) continue;" TO "if (target->id > 0) continue;")
gizmod_planted_fault(large_drag_unknown_to_the_file LONG FILE server/core/commit.c
    FROM "gesture->edit.stored == GZ_EDIT_UNKNOWN && !add_begun" TO "gz_gesture_is_sampled(gesture) && gesture->edit.stored == GZ_EDIT_UNKNOWN && !add_begun")
gizmod_planted_fault(late_input_accepted FILE server/core/dispatch.c
    FROM "if (session->ended || gz_session_is_busy(session)) return false;" TO "if (gz_session_is_busy(session)) return false;")
gizmod_planted_fault(wheel_not_closed FILE server/core/dispatch.c
    FROM "[GZ_OP_SET] = {gz_on_set, GZ_ROLE_EDITOR, true, true," TO "[GZ_OP_SET] = {gz_on_set, GZ_ROLE_EDITOR, false, true,")
gizmod_planted_fault(hold_goes_on_as_the_same_edit FILE server/core/hold.c
    FROM "if (is_changed) begin_anew(session, hold, began_seq);" TO "(void)begin_anew, (void)began_seq, (void)is_changed;")
gizmod_planted_fault(set_of_held_nodes_begins_where_they_are FILE server/core/edit.c
    FROM "if (held != NULL) change->before.trs = held->start;" TO "(void)held;")
gizmod_planted_fault(hold_of_many_forgets_what_was_set FILE server/core/hold.c
    FROM "    target->start_seq = node->seq;" TO "")
gizmod_planted_fault(wheel_never_over FILE server/core/core.c
    FROM "core->clock.now.mono_s < gesture->closes_s" TO "core->clock.now.unix_s < gesture->closes_s + 1.7e9 - 1000")

# ---- undo ----

gizmod_planted_fault(undo_ignores_others FILE server/scene/undo.c
    FROM "if (!find_common(own, entry, node)) continue;" TO "if (node == NULL) continue;")
gizmod_planted_fault(conflict_names_another_edit FILE server/core/undo.c
    FROM "others, (unsigned long long)later->id);" TO "others, (unsigned long long)later->id + 1);")
gizmod_planted_fault(redo_not_cleared FILE server/scene/undo.c
    FROM "if (!is_own_undo_or_redo(entry)) return NULL;" TO "if (!is_own_undo_or_redo(entry)) continue;")
gizmod_planted_fault(revert_ignores_own_later_edits FILE server/core/undo.c
    FROM "        .session = session, .core = core, .force = message->revert.force, .failure = failure};"
    TO "        .session = session, .core = core, .force = message->revert.force, .failure = failure,
        .beside = session->user};")
gizmod_planted_fault(revert_of_an_edit_that_is_undone FILE server/core/undo.c
    FROM "    return revert(&undo, target, gz_undo_is_undone(log, target->id), &request);"
    TO "    return revert(&undo, target, false, &request);")
gizmod_planted_fault(revert_of_others_by_anybody FILE server/core/undo.c
    FROM "if (request->reverts && session->role < GZ_ROLE_ADMIN)" TO "if (request->reverts && session->role < GZ_ROLE_EDITOR)")
gizmod_planted_fault(revert_of_an_old_edit_ignores_the_present FILE server/core/undo.c
    FROM "    if (undo->is_old) return is_as_left(undo) ? NULL : find_old_conflict(undo);"
    TO "    if (undo->is_old) return NULL;")
gizmod_planted_fault(undo_restores_all_fields FILE server/core/undo.c
    FROM "gz_change_rebase(node, &change);" TO "gz_node_content(node, &change.before);")
gizmod_planted_fault(undo_of_nothing_forgotten FILE server/core/pending.c
    FROM "change_count == 0 && !travels" TO "change_count == 0")

# ---- order, join, resume ----

gizmod_planted_fault(node_skipped_where_a_delta_is_cut FILE server/feed/delta.c
    FROM "delta->seq = last;" TO "delta->seq = is.seq;")
gizmod_planted_fault(continued_delta_misses_earlier_changes FILE server/feed/delta.c
    FROM "add_state(feed, delta, is->node, cursor->base, bytes)"
    TO "add_state(feed, delta, is->node, delta->from, bytes)")
gizmod_planted_fault(grave_outlives_its_node FILE server/scene/apply.c
    FROM "gz_graves_open(&plan->scene->graves, node->id);" TO "")
gizmod_planted_fault(snapshot_in_the_order_of_changes FILE server/feed/delta.c
    FROM "if (!is_ascending(delta))" TO "if (0)")
gizmod_planted_fault(snapshot_with_a_parent_behind FILE server/feed/delta.c
    FROM "if (!is_parent_behind(delta)) return true;" TO "return true;")
gizmod_planted_fault(frames_shared_across_bases FILE server/feed/feed.c
    FROM "a->base == b->base && a->since == b->since &&" TO "" SEEDS 8000 LONG)
gizmod_planted_fault(tombstone_forgotten_too_early FILE server/feed/delta.c
    FROM "return knows_from < gz_scene_forgotten(feed->scene) ||" TO "return knows_from > gz_scene_seq(feed->scene) ||")
gizmod_planted_fault(unsaved_resume_accepted FILE server/core/state.c
    FROM "return epochs->earlier[i].seq_last;" TO "return UINT64_MAX;")
gizmod_planted_fault(any_seq_resumed FILE server/core/join.c
    FROM "said->resume_seq <= last &&" TO "last > 0 &&")
gizmod_planted_fault(acknowledged_before_it_moved FILE server/feed/feed.c
    FROM "ack->n = n;" TO "ack->n = n + 1;")
gizmod_planted_fault(edit_announced_twice FILE server/core/pending.c
    FROM "    gz_core_announce_edit(core, &pending->edit, gz_scene_seq(core->scene));"
    TO "    gz_core_announce_edit(core, &pending->edit, gz_scene_seq(core->scene));
    gz_core_announce_edit(core, &pending->edit, gz_scene_seq(core->scene));")

# ---- presence, queries, bounds ----

gizmod_planted_fault(leave_not_announced FILE server/feed/presence.c
    FROM "presence->left = (struct gz_ids){left, gz_versions_gone(&reading, left)};" TO "(void)gz_versions_gone(&reading, left);")
gizmod_planted_fault(doer_not_told_of FILE server/feed/presence.c
    FROM "status = append_who(entry, cursor->form, out);" TO "status = GZ_OK;")
gizmod_planted_fault(query_forgotten FILE server/core/core.c
    FROM "if (gz_core_has_tickets_to_send(core)) return -INFINITY;" TO "")
gizmod_planted_fault(drags_wait_without_bound FILE server/core/interaction.c
    FROM "enum gz_status status = gz_journal_check_room(&core->journal, &failure->error);" TO "enum gz_status status = GZ_OK;")

# ---- interest sets ----

gizmod_planted_fault(interest_misses_node_that_moves_in FILE server/feed/interest_set.c
    FROM "if (!set_matching(set, scene, node, matches(&set->region, scene, node))) return false;"
    TO "if (find(set, node->id) != NULL &&
            !set_matching(set, scene, node, matches(&set->region, scene, node))) return false;")
gizmod_planted_fault(interest_without_ancestors FILE server/feed/interest_set.c
    FROM "return entry->matches || entry->children > 0;" TO "return entry->matches;")
gizmod_planted_fault(interest_sends_new_node_as_known FILE server/feed/delta.c
    FROM "gz_scene_find(feed->scene, id), 0, bytes)" TO "gz_scene_find(feed->scene, id), delta->from, bytes)")
gizmod_planted_fault(interest_resumed FILE server/feed/delta.c
    FROM "*complete = cursor->greeted && !gz_feed_is_lost(feed, cursor);" TO "*complete = !gz_feed_is_lost(feed, cursor);")
gizmod_planted_fault(interest_evaluated_too_late FILE server/core/view.c
    FROM "? view->interest_due_s : INFINITY" TO "? view->interest_due_s + 1 : INFINITY")

# ---- notes ----

gizmod_planted_fault(note_ok_before_commit FILE server/core/notes.c
    FROM "    if (is_new) core->next_note++;"
    TO "    answer(session, (message->has & GZ_HAS_RID) != 0, message->rid, note.id);
    if (is_new) core->next_note++;")
gizmod_planted_fault(note_key_forgotten FILE server/core/notes.c
    FROM "*status = host->find_note_key(host->context, session->user, key, &note);" TO "note = 0;")
gizmod_planted_fault(note_key_of_waiting_forgotten FILE server/core/notes.c
    FROM "gz_journal_find(&core->journal, &gz_pending_notes, session->user, key)" TO "NULL")
gizmod_planted_fault(note_deletion_not_announced FILE server/feed/notes.c
    FROM "notes->gone = (struct gz_ids){gone, gz_versions_gone(&reading, gone)};" TO "(void)gz_versions_gone(&reading, gone);")
gizmod_planted_fault(checkpoint_removal_not_told FILE server/feed/notes.c
    FROM "if (removal != NULL && !add(feed, message, removal)) return false;" TO "(void)removal;")
gizmod_planted_fault(versions_snapshot_missing FILE server/scene/versions.c
    FROM "cursor->version == 0 || knows_until < versions->forgotten;" TO "cursor->version == 0;")
gizmod_planted_fault(versions_snapshot_repeated FILE server/scene/versions.c
    FROM "uint64_t knows_until = later(cursor->version, cursor->since);" TO "uint64_t knows_until = cursor->version;")
gizmod_planted_fault(note_outlives_refused_request FILE server/core/journal.c
    FROM "const bool is_request = entry->kind->refuse != NULL;"
    TO "extern const struct gz_journal_kind gz_pending_notes;
        const bool is_request =
            entry->kind->refuse != NULL && (entry->batch != 0 || entry->kind != &gz_pending_notes);")
gizmod_planted_fault(edit_outlives_refused_request FILE server/core/journal.c
    FROM "const bool is_request = entry->kind->refuse != NULL;"
    TO "extern const struct gz_journal_kind gz_pending_edits;
        const bool is_request =
            entry->kind->refuse != NULL && (entry->batch != 0 || entry->kind != &gz_pending_edits);")
gizmod_planted_fault(edit_left_out_of_its_batch FILE server/core/journal.c
    FROM "while (entry != NULL && (entry->kind->add == NULL || entry->kind->add(entry, batch)))
        entry = entry->newer;"
    TO "extern const struct gz_journal_kind gz_pending_edits;
    while (entry != NULL && ((entry == journal->newest && entry != first_unsent(journal) &&
                              entry->kind == &gz_pending_edits) || entry->kind->add == NULL ||
                             entry->kind->add(entry, batch)))
        entry = entry->newer;")
gizmod_planted_fault(edit_sent_with_a_later_batch FILE server/core/journal.c
    FROM "        entry->batch = journal->sent;"
    TO "        if (entry != journal->newest || entry->older == NULL || entry->older->batch == 0)
            entry->batch = journal->sent;")

# ---- session log ----

gizmod_planted_fault(session_entry_forgotten_under_an_edit FILE server/core/commit.c
    FROM "if (next - i != 2 || joined->entry == NULL" TO "if (next - i < 2 || joined->entry == NULL")

# ---- times ----

gizmod_planted_fault(time_goes_back FILE server/core/state.c
    FROM "fmax(now.unix_s, at_least_s)" TO "now.unix_s")
gizmod_planted_fault(drag_begins_in_the_past FILE server/core/interaction.c
    FROM "gz_clock_moment(&core->clock)" TO "core->clock.now.unix_s - 1e-6")
gizmod_planted_fault(time_forgets_the_file FILE server/core/core.c
    FROM "gz_clock_from(state->time);" TO "gz_clock_from(0);")

# ---- replaced sessions ----

gizmod_planted_fault(replaced_session_keeps_its_drag FILE server/core/join.c
    FROM "gz_interaction_finish_all(earlier);" TO "")
gizmod_planted_fault(session_of_others_replaced FILE server/core/join.c
    FROM "strcmp(earlier->user, user) == 0" TO "true")

# ---- the scene's access ----

gizmod_planted_fault(role_outlives_its_access FILE server/core/roles.c
    FROM "if (!session->ended) gz_session_apply_rights(session);" TO "(void)session;")
gizmod_planted_fault(first_pattern_counts FILE server/scene/access.c
    FROM "(is_any && is->role <= *role)" TO "is_any")
gizmod_planted_fault(access_answered_too_early FILE server/core/roles.c
    FROM "    return append(session, message, &record, !is_there, failure);"
    TO "    gz_session_ok(session, message, 0, NULL);
    return append(session, message, &record, !is_there, failure);")

# ---- motions ----

gizmod_planted_fault(motion_told_to_who_does_not_know_it FILE server/feed/motions.c
    FROM "return motion != NULL && motion->number <= cursor->motions &&" TO "return motion != NULL &&" LONG)
gizmod_planted_fault(motion_begins_where_its_nodes_are_by_now FILE server/feed/motions.c
    FROM "cursor->state >= motion->nodes.since_seq && cursor->state <= motion->nodes.until_seq;" TO "true;")
gizmod_planted_fault(motion_outlives_its_drag FILE server/feed/motions.c
    FROM "        destroy(feed->motions[i]);
        feed->motions[i] = NULL;" TO "")

# ---- packed deltas ----

gizmod_planted_fault(bit_of_packed_delta_lost LONG FILE proto/encode.c
    FROM "if (memcmp(&trs->r, &none->r, sizeof trs->r) == 0)" TO "if (fabs(trs->r.w - 1) < 1e-9)")
gizmod_planted_fault(parent_of_packed_delta_lost FILE proto/encode.c
    FROM "if (state->parent == 0) has &=" TO "if (state->parent < 3) has &=")
