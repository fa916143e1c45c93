// Layouts of the structs that are shared with the host. Generated from the Rust declarations by
// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.
#pragma once

#include <cstddef>

#include <stream/tables.cuh>

static_assert(sizeof(stream::EdgeRow) == 16, "size of stream::EdgeRow");
static_assert(offsetof(stream::EdgeRow, target) == 0 && sizeof(stream::EdgeRow::target) == 4,
              "stream::EdgeRow::target");
static_assert(offsetof(stream::EdgeRow, gamma) == 4 && sizeof(stream::EdgeRow::gamma) == 4,
              "stream::EdgeRow::gamma");
static_assert(offsetof(stream::EdgeRow, flags) == 8 && sizeof(stream::EdgeRow::flags) == 4,
              "stream::EdgeRow::flags");
static_assert(offsetof(stream::EdgeRow, spare) == 12 && sizeof(stream::EdgeRow::spare) == 4,
              "stream::EdgeRow::spare");

static_assert(sizeof(stream::NodeRow) == 72, "size of stream::NodeRow");
static_assert(offsetof(stream::NodeRow, module) == 0 && sizeof(stream::NodeRow::module) == 4,
              "stream::NodeRow::module");
static_assert(offsetof(stream::NodeRow, capacity) == 4 && sizeof(stream::NodeRow::capacity) == 4,
              "stream::NodeRow::capacity");
static_assert(offsetof(stream::NodeRow, reserve) == 8 && sizeof(stream::NodeRow::reserve) == 4,
              "stream::NodeRow::reserve");
static_assert(offsetof(stream::NodeRow, slot_bytes) == 12 && sizeof(stream::NodeRow::slot_bytes) == 4,
              "stream::NodeRow::slot_bytes");
static_assert(offsetof(stream::NodeRow, first_edge) == 16 && sizeof(stream::NodeRow::first_edge) == 4,
              "stream::NodeRow::first_edge");
static_assert(offsetof(stream::NodeRow, channels) == 20 && sizeof(stream::NodeRow::channels) == 4,
              "stream::NodeRow::channels");
static_assert(offsetof(stream::NodeRow, shared_ring) == 24 && sizeof(stream::NodeRow::shared_ring) == 4,
              "stream::NodeRow::shared_ring");
static_assert(offsetof(stream::NodeRow, rest_slots) == 28 && sizeof(stream::NodeRow::rest_slots) == 4,
              "stream::NodeRow::rest_slots");
static_assert(offsetof(stream::NodeRow, ring) == 32 && sizeof(stream::NodeRow::ring) == 8,
              "stream::NodeRow::ring");
static_assert(offsetof(stream::NodeRow, ends) == 40 && sizeof(stream::NodeRow::ends) == 8,
              "stream::NodeRow::ends");
static_assert(offsetof(stream::NodeRow, parameters) == 48 && sizeof(stream::NodeRow::parameters) == 8,
              "stream::NodeRow::parameters");
static_assert(offsetof(stream::NodeRow, rest) == 56 && sizeof(stream::NodeRow::rest) == 8,
              "stream::NodeRow::rest");
static_assert(offsetof(stream::NodeRow, rest_ready) == 64 && sizeof(stream::NodeRow::rest_ready) == 8,
              "stream::NodeRow::rest_ready");

static_assert(sizeof(stream::ModuleRow) == 32, "size of stream::ModuleRow");
static_assert(offsetof(stream::ModuleRow, first_node) == 0 && sizeof(stream::ModuleRow::first_node) == 4,
              "stream::ModuleRow::first_node");
static_assert(offsetof(stream::ModuleRow, nodes) == 4 && sizeof(stream::ModuleRow::nodes) == 4,
              "stream::ModuleRow::nodes");
static_assert(offsetof(stream::ModuleRow, ensemble) == 8 && sizeof(stream::ModuleRow::ensemble) == 4,
              "stream::ModuleRow::ensemble");
static_assert(offsetof(stream::ModuleRow, kind) == 12 && sizeof(stream::ModuleRow::kind) == 4,
              "stream::ModuleRow::kind");
static_assert(offsetof(stream::ModuleRow, inverse) == 16 && sizeof(stream::ModuleRow::inverse) == 4,
              "stream::ModuleRow::inverse");
static_assert(offsetof(stream::ModuleRow, padding) == 20 && sizeof(stream::ModuleRow::padding) == 4,
              "stream::ModuleRow::padding");
static_assert(offsetof(stream::ModuleRow, parameters) == 24 && sizeof(stream::ModuleRow::parameters) == 8,
              "stream::ModuleRow::parameters");

static_assert(sizeof(stream::SinkRow) == 48, "size of stream::SinkRow");
static_assert(offsetof(stream::SinkRow, items) == 0 && sizeof(stream::SinkRow::items) == 8,
              "stream::SinkRow::items");
static_assert(offsetof(stream::SinkRow, first) == 8 && sizeof(stream::SinkRow::first) == 8,
              "stream::SinkRow::first");
static_assert(offsetof(stream::SinkRow, slots) == 16 && sizeof(stream::SinkRow::slots) == 8,
              "stream::SinkRow::slots");
static_assert(offsetof(stream::SinkRow, cursor) == 24 && sizeof(stream::SinkRow::cursor) == 8,
              "stream::SinkRow::cursor");
static_assert(offsetof(stream::SinkRow, room) == 32 && sizeof(stream::SinkRow::room) == 8,
              "stream::SinkRow::room");
static_assert(offsetof(stream::SinkRow, item_bytes) == 40 && sizeof(stream::SinkRow::item_bytes) == 4,
              "stream::SinkRow::item_bytes");
static_assert(offsetof(stream::SinkRow, scheme) == 44 && sizeof(stream::SinkRow::scheme) == 4,
              "stream::SinkRow::scheme");

static_assert(sizeof(stream::SavedQueue) == 16, "size of stream::SavedQueue");
static_assert(offsetof(stream::SavedQueue, head) == 0 && sizeof(stream::SavedQueue::head) == 4,
              "stream::SavedQueue::head");
static_assert(offsetof(stream::SavedQueue, count) == 4 && sizeof(stream::SavedQueue::count) == 4,
              "stream::SavedQueue::count");
static_assert(offsetof(stream::SavedQueue, ended) == 8 && sizeof(stream::SavedQueue::ended) == 4,
              "stream::SavedQueue::ended");
static_assert(offsetof(stream::SavedQueue, consumed) == 12 && sizeof(stream::SavedQueue::consumed) == 4,
              "stream::SavedQueue::consumed");

static_assert(sizeof(stream::SavedBlock) == 56, "size of stream::SavedBlock");
static_assert(offsetof(stream::SavedBlock, window) == 0 && sizeof(stream::SavedBlock::window) == 8,
              "stream::SavedBlock::window");
static_assert(offsetof(stream::SavedBlock, window_end) == 8 && sizeof(stream::SavedBlock::window_end) == 8,
              "stream::SavedBlock::window_end");
static_assert(offsetof(stream::SavedBlock, next_chunk) == 16 && sizeof(stream::SavedBlock::next_chunk) == 8,
              "stream::SavedBlock::next_chunk");
static_assert(offsetof(stream::SavedBlock, ahead) == 24 && sizeof(stream::SavedBlock::ahead) == 8,
              "stream::SavedBlock::ahead");
static_assert(offsetof(stream::SavedBlock, ahead_end) == 32 && sizeof(stream::SavedBlock::ahead_end) == 8,
              "stream::SavedBlock::ahead_end");
static_assert(offsetof(stream::SavedBlock, exhausted) == 40 && sizeof(stream::SavedBlock::exhausted) == 4,
              "stream::SavedBlock::exhausted");
static_assert(offsetof(stream::SavedBlock, finished) == 44 && sizeof(stream::SavedBlock::finished) == 4,
              "stream::SavedBlock::finished");
static_assert(offsetof(stream::SavedBlock, flags) == 48 && sizeof(stream::SavedBlock::flags) == 4,
              "stream::SavedBlock::flags");
static_assert(offsetof(stream::SavedBlock, firings) == 52 && sizeof(stream::SavedBlock::firings) == 4,
              "stream::SavedBlock::firings");

static_assert(sizeof(stream::ModuleCounters) == 72, "size of stream::ModuleCounters");
static_assert(offsetof(stream::ModuleCounters, firings) == 0 && sizeof(stream::ModuleCounters::firings) == 8,
              "stream::ModuleCounters::firings");
static_assert(offsetof(stream::ModuleCounters, full_firings) == 8 && sizeof(stream::ModuleCounters::full_firings) == 8,
              "stream::ModuleCounters::full_firings");
static_assert(offsetof(stream::ModuleCounters, ensembles) == 16 && sizeof(stream::ModuleCounters::ensembles) == 8,
              "stream::ModuleCounters::ensembles");
static_assert(offsetof(stream::ModuleCounters, lanes) == 24 && sizeof(stream::ModuleCounters::lanes) == 8,
              "stream::ModuleCounters::lanes");
static_assert(offsetof(stream::ModuleCounters, items_in) == 32 && sizeof(stream::ModuleCounters::items_in) == 8,
              "stream::ModuleCounters::items_in");
static_assert(offsetof(stream::ModuleCounters, items_out) == 40 && sizeof(stream::ModuleCounters::items_out) == 8,
              "stream::ModuleCounters::items_out");
static_assert(offsetof(stream::ModuleCounters, gather) == 48 && sizeof(stream::ModuleCounters::gather) == 8,
              "stream::ModuleCounters::gather");
static_assert(offsetof(stream::ModuleCounters, run) == 56 && sizeof(stream::ModuleCounters::run) == 8,
              "stream::ModuleCounters::run");
static_assert(offsetof(stream::ModuleCounters, scatter) == 64 && sizeof(stream::ModuleCounters::scatter) == 8,
              "stream::ModuleCounters::scatter");

static_assert(sizeof(stream::CycleCounters) == 16, "size of stream::CycleCounters");
static_assert(offsetof(stream::CycleCounters, scheduler) == 0 && sizeof(stream::CycleCounters::scheduler) == 8,
              "stream::CycleCounters::scheduler");
static_assert(offsetof(stream::CycleCounters, total) == 8 && sizeof(stream::CycleCounters::total) == 8,
              "stream::CycleCounters::total");

static_assert(sizeof(stream::Fault) == 16, "size of stream::Fault");
static_assert(offsetof(stream::Fault, set) == 0 && sizeof(stream::Fault::set) == 4,
              "stream::Fault::set");
static_assert(offsetof(stream::Fault, module) == 4 && sizeof(stream::Fault::module) == 4,
              "stream::Fault::module");
static_assert(offsetof(stream::Fault, channel) == 8 && sizeof(stream::Fault::channel) == 4,
              "stream::Fault::channel");
static_assert(offsetof(stream::Fault, node) == 12 && sizeof(stream::Fault::node) == 4,
              "stream::Fault::node");

static_assert(sizeof(stream::PacketRow) == 16, "size of stream::PacketRow");
static_assert(offsetof(stream::PacketRow, filled) == 0 && sizeof(stream::PacketRow::filled) == 4,
              "stream::PacketRow::filled");
static_assert(offsetof(stream::PacketRow, node) == 4 && sizeof(stream::PacketRow::node) == 4,
              "stream::PacketRow::node");
static_assert(offsetof(stream::PacketRow, items) == 8 && sizeof(stream::PacketRow::items) == 4,
              "stream::PacketRow::items");
static_assert(offsetof(stream::PacketRow, padding) == 12 && sizeof(stream::PacketRow::padding) == 4,
              "stream::PacketRow::padding");

static_assert(sizeof(stream::RunParameters) == 224, "size of stream::RunParameters");
static_assert(offsetof(stream::RunParameters, nodes) == 0 && sizeof(stream::RunParameters::nodes) == 8,
              "stream::RunParameters::nodes");
static_assert(offsetof(stream::RunParameters, edges) == 8 && sizeof(stream::RunParameters::edges) == 8,
              "stream::RunParameters::edges");
static_assert(offsetof(stream::RunParameters, modules) == 16 && sizeof(stream::RunParameters::modules) == 8,
              "stream::RunParameters::modules");
static_assert(offsetof(stream::RunParameters, sinks) == 24 && sizeof(stream::RunParameters::sinks) == 8,
              "stream::RunParameters::sinks");
static_assert(offsetof(stream::RunParameters, input) == 32 && sizeof(stream::RunParameters::input) == 8,
              "stream::RunParameters::input");
static_assert(offsetof(stream::RunParameters, inputs) == 40 && sizeof(stream::RunParameters::inputs) == 8,
              "stream::RunParameters::inputs");
static_assert(offsetof(stream::RunParameters, cursor) == 48 && sizeof(stream::RunParameters::cursor) == 8,
              "stream::RunParameters::cursor");
static_assert(offsetof(stream::RunParameters, global) == 56 && sizeof(stream::RunParameters::global) == 8,
              "stream::RunParameters::global");
static_assert(offsetof(stream::RunParameters, rings) == 64 && sizeof(stream::RunParameters::rings) == 8,
              "stream::RunParameters::rings");
static_assert(offsetof(stream::RunParameters, ring_stride) == 72 && sizeof(stream::RunParameters::ring_stride) == 8,
              "stream::RunParameters::ring_stride");
static_assert(offsetof(stream::RunParameters, blocks) == 80 && sizeof(stream::RunParameters::blocks) == 8,
              "stream::RunParameters::blocks");
static_assert(offsetof(stream::RunParameters, queues) == 88 && sizeof(stream::RunParameters::queues) == 8,
              "stream::RunParameters::queues");
static_assert(offsetof(stream::RunParameters, walk_rows) == 96 && sizeof(stream::RunParameters::walk_rows) == 8,
              "stream::RunParameters::walk_rows");
static_assert(offsetof(stream::RunParameters, walks) == 104 && sizeof(stream::RunParameters::walks) == 8,
              "stream::RunParameters::walks");
static_assert(offsetof(stream::RunParameters, outputs) == 112 && sizeof(stream::RunParameters::outputs) == 8,
              "stream::RunParameters::outputs");
static_assert(offsetof(stream::RunParameters, rest_counters) == 120 && sizeof(stream::RunParameters::rest_counters) == 8,
              "stream::RunParameters::rest_counters");
static_assert(offsetof(stream::RunParameters, moving) == 128 && sizeof(stream::RunParameters::moving) == 8,
              "stream::RunParameters::moving");
static_assert(offsetof(stream::RunParameters, packet_rows) == 136 && sizeof(stream::RunParameters::packet_rows) == 8,
              "stream::RunParameters::packet_rows");
static_assert(offsetof(stream::RunParameters, packets) == 144 && sizeof(stream::RunParameters::packets) == 8,
              "stream::RunParameters::packets");
static_assert(offsetof(stream::RunParameters, module_counters) == 152 && sizeof(stream::RunParameters::module_counters) == 8,
              "stream::RunParameters::module_counters");
static_assert(offsetof(stream::RunParameters, counters) == 160 && sizeof(stream::RunParameters::counters) == 8,
              "stream::RunParameters::counters");
static_assert(offsetof(stream::RunParameters, fault) == 168 && sizeof(stream::RunParameters::fault) == 8,
              "stream::RunParameters::fault");
static_assert(offsetof(stream::RunParameters, node_count) == 176 && sizeof(stream::RunParameters::node_count) == 4,
              "stream::RunParameters::node_count");
static_assert(offsetof(stream::RunParameters, edge_count) == 180 && sizeof(stream::RunParameters::edge_count) == 4,
              "stream::RunParameters::edge_count");
static_assert(offsetof(stream::RunParameters, module_count) == 184 && sizeof(stream::RunParameters::module_count) == 4,
              "stream::RunParameters::module_count");
static_assert(offsetof(stream::RunParameters, sink_count) == 188 && sizeof(stream::RunParameters::sink_count) == 4,
              "stream::RunParameters::sink_count");
static_assert(offsetof(stream::RunParameters, root) == 192 && sizeof(stream::RunParameters::root) == 4,
              "stream::RunParameters::root");
static_assert(offsetof(stream::RunParameters, chunk) == 196 && sizeof(stream::RunParameters::chunk) == 4,
              "stream::RunParameters::chunk");
static_assert(offsetof(stream::RunParameters, flags) == 200 && sizeof(stream::RunParameters::flags) == 4,
              "stream::RunParameters::flags");
static_assert(offsetof(stream::RunParameters, slice) == 204 && sizeof(stream::RunParameters::slice) == 4,
              "stream::RunParameters::slice");
static_assert(offsetof(stream::RunParameters, scratch_bytes) == 208 && sizeof(stream::RunParameters::scratch_bytes) == 4,
              "stream::RunParameters::scratch_bytes");
static_assert(offsetof(stream::RunParameters, block_count) == 212 && sizeof(stream::RunParameters::block_count) == 4,
              "stream::RunParameters::block_count");
static_assert(offsetof(stream::RunParameters, rest_pools) == 216 && sizeof(stream::RunParameters::rest_pools) == 4,
              "stream::RunParameters::rest_pools");
static_assert(offsetof(stream::RunParameters, packet_bytes) == 220 && sizeof(stream::RunParameters::packet_bytes) == 4,
              "stream::RunParameters::packet_bytes");

static_assert(sizeof(stream::PackParameters) == 48, "size of stream::PackParameters");
static_assert(offsetof(stream::PackParameters, sinks) == 0 && sizeof(stream::PackParameters::sinks) == 8,
              "stream::PackParameters::sinks");
static_assert(offsetof(stream::PackParameters, outputs) == 8 && sizeof(stream::PackParameters::outputs) == 8,
              "stream::PackParameters::outputs");
static_assert(offsetof(stream::PackParameters, first) == 16 && sizeof(stream::PackParameters::first) == 8,
              "stream::PackParameters::first");
static_assert(offsetof(stream::PackParameters, packed) == 24 && sizeof(stream::PackParameters::packed) == 8,
              "stream::PackParameters::packed");
static_assert(offsetof(stream::PackParameters, sink) == 32 && sizeof(stream::PackParameters::sink) == 4,
              "stream::PackParameters::sink");
static_assert(offsetof(stream::PackParameters, sink_count) == 36 && sizeof(stream::PackParameters::sink_count) == 4,
              "stream::PackParameters::sink_count");
static_assert(offsetof(stream::PackParameters, block_count) == 40 && sizeof(stream::PackParameters::block_count) == 4,
              "stream::PackParameters::block_count");
static_assert(offsetof(stream::PackParameters, padding) == 44 && sizeof(stream::PackParameters::padding) == 4,
              "stream::PackParameters::padding");

static_assert(sizeof(stream::WalkRow) == 64, "size of stream::WalkRow");
static_assert(offsetof(stream::WalkRow, headers) == 0 && sizeof(stream::WalkRow::headers) == 8,
              "stream::WalkRow::headers");
static_assert(offsetof(stream::WalkRow, counts) == 8 && sizeof(stream::WalkRow::counts) == 8,
              "stream::WalkRow::counts");
static_assert(offsetof(stream::WalkRow, items) == 16 && sizeof(stream::WalkRow::items) == 8,
              "stream::WalkRow::items");
static_assert(offsetof(stream::WalkRow, header_bytes) == 24 && sizeof(stream::WalkRow::header_bytes) == 4,
              "stream::WalkRow::header_bytes");
static_assert(offsetof(stream::WalkRow, item_bytes) == 28 && sizeof(stream::WalkRow::item_bytes) == 4,
              "stream::WalkRow::item_bytes");
static_assert(offsetof(stream::WalkRow, pods_room) == 32 && sizeof(stream::WalkRow::pods_room) == 4,
              "stream::WalkRow::pods_room");
static_assert(offsetof(stream::WalkRow, items_room) == 36 && sizeof(stream::WalkRow::items_room) == 4,
              "stream::WalkRow::items_room");
static_assert(offsetof(stream::WalkRow, items_reserve) == 40 && sizeof(stream::WalkRow::items_reserve) == 4,
              "stream::WalkRow::items_reserve");
static_assert(offsetof(stream::WalkRow, elements) == 44 && sizeof(stream::WalkRow::elements) == 4,
              "stream::WalkRow::elements");
static_assert(offsetof(stream::WalkRow, pods_at_once) == 48 && sizeof(stream::WalkRow::pods_at_once) == 4,
              "stream::WalkRow::pods_at_once");
static_assert(offsetof(stream::WalkRow, items_at_once) == 52 && sizeof(stream::WalkRow::items_at_once) == 4,
              "stream::WalkRow::items_at_once");
static_assert(offsetof(stream::WalkRow, steps) == 56 && sizeof(stream::WalkRow::steps) == 4,
              "stream::WalkRow::steps");
static_assert(offsetof(stream::WalkRow, fan) == 60 && sizeof(stream::WalkRow::fan) == 4,
              "stream::WalkRow::fan");

static_assert(sizeof(stream::SavedWalk) == 48, "size of stream::SavedWalk");
static_assert(offsetof(stream::SavedWalk, first_pod) == 0 && sizeof(stream::SavedWalk::first_pod) == 4,
              "stream::SavedWalk::first_pod");
static_assert(offsetof(stream::SavedWalk, end_pod) == 4 && sizeof(stream::SavedWalk::end_pod) == 4,
              "stream::SavedWalk::end_pod");
static_assert(offsetof(stream::SavedWalk, first_item) == 8 && sizeof(stream::SavedWalk::first_item) == 4,
              "stream::SavedWalk::first_item");
static_assert(offsetof(stream::SavedWalk, end_item) == 12 && sizeof(stream::SavedWalk::end_item) == 4,
              "stream::SavedWalk::end_item");
static_assert(offsetof(stream::SavedWalk, pods) == 16 && sizeof(stream::SavedWalk::pods) == 8,
              "stream::SavedWalk::pods");
static_assert(offsetof(stream::SavedWalk, visits) == 24 && sizeof(stream::SavedWalk::visits) == 8,
              "stream::SavedWalk::visits");
static_assert(offsetof(stream::SavedWalk, lanes) == 32 && sizeof(stream::SavedWalk::lanes) == 8,
              "stream::SavedWalk::lanes");
static_assert(offsetof(stream::SavedWalk, steps) == 40 && sizeof(stream::SavedWalk::steps) == 4,
              "stream::SavedWalk::steps");
static_assert(offsetof(stream::SavedWalk, padding) == 44 && sizeof(stream::SavedWalk::padding) == 4,
              "stream::SavedWalk::padding");

static_assert(sizeof(stream::Donation) == 16, "size of stream::Donation");
static_assert(offsetof(stream::Donation, from) == 0 && sizeof(stream::Donation::from) == 4,
              "stream::Donation::from");
static_assert(offsetof(stream::Donation, to) == 4 && sizeof(stream::Donation::to) == 4,
              "stream::Donation::to");
static_assert(offsetof(stream::Donation, node) == 8 && sizeof(stream::Donation::node) == 4,
              "stream::Donation::node");
static_assert(offsetof(stream::Donation, padding) == 12 && sizeof(stream::Donation::padding) == 4,
              "stream::Donation::padding");

static_assert(sizeof(stream::ShareParameters) == 56, "size of stream::ShareParameters");
static_assert(offsetof(stream::ShareParameters, rings) == 0 && sizeof(stream::ShareParameters::rings) == 8,
              "stream::ShareParameters::rings");
static_assert(offsetof(stream::ShareParameters, ring_stride) == 8 && sizeof(stream::ShareParameters::ring_stride) == 8,
              "stream::ShareParameters::ring_stride");
static_assert(offsetof(stream::ShareParameters, blocks) == 16 && sizeof(stream::ShareParameters::blocks) == 8,
              "stream::ShareParameters::blocks");
static_assert(offsetof(stream::ShareParameters, walk_rows) == 24 && sizeof(stream::ShareParameters::walk_rows) == 8,
              "stream::ShareParameters::walk_rows");
static_assert(offsetof(stream::ShareParameters, walks) == 32 && sizeof(stream::ShareParameters::walks) == 8,
              "stream::ShareParameters::walks");
static_assert(offsetof(stream::ShareParameters, donations) == 40 && sizeof(stream::ShareParameters::donations) == 8,
              "stream::ShareParameters::donations");
static_assert(offsetof(stream::ShareParameters, node_count) == 48 && sizeof(stream::ShareParameters::node_count) == 4,
              "stream::ShareParameters::node_count");
static_assert(offsetof(stream::ShareParameters, padding) == 52 && sizeof(stream::ShareParameters::padding) == 4,
              "stream::ShareParameters::padding");

static_assert(sizeof(stream::DescribeParameters) == 16, "size of stream::DescribeParameters");
static_assert(offsetof(stream::DescribeParameters, words) == 0 && sizeof(stream::DescribeParameters::words) == 8,
              "stream::DescribeParameters::words");
static_assert(offsetof(stream::DescribeParameters, capacity) == 8 && sizeof(stream::DescribeParameters::capacity) == 4,
              "stream::DescribeParameters::capacity");
static_assert(offsetof(stream::DescribeParameters, width) == 12 && sizeof(stream::DescribeParameters::width) == 4,
              "stream::DescribeParameters::width");
