//===- GraphOps.td - All of the graph dialect --------------*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_OPS_TD
#define HEDDLE_GRAPH_OPS_TD

include "dialects/Graph/GraphLeafOps.td"
include "dialects/Graph/GraphElementwiseOps.td"
include "dialects/Graph/GraphShapeOps.td"
include "dialects/Graph/GraphModelOps.td"
include "dialects/Graph/GraphTrainingOps.td"

#endif
