#include "dialects/Interfaces/AttentionLike.h"

#include "dialects/Interfaces/AttentionLike.cpp.inc"
