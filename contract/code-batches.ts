import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { download, idParam, listQuery, message, pageCounts, period } from "./schemas.ts";
import { batchFile, batchNote, CodeBatch, trackingType } from "./tracking.ts";
import { saved } from "./versions.ts";

const list = endpoint({
  method: "GET",
  path: "/api/v1/tracking/batches",
  access: "admin",
  summary: "List the ranges of codes that were registered together, with how many of each are left and used",
  query: listQuery.extend({ type: trackingType.optional(), ...period }),
  reply: z.object({ batches: z.array(CodeBatch), ...pageCounts }),
});

export const codeBatches = {
  list,
  export: exportOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/tracking/batches/:id",
    access: "admin",
    summary: "Read one batch of codes",
    params: idParam,
    reply: z.object({ batch: CodeBatch }),
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/v1/tracking/batches/:id",
    access: "admin",
    summary: "Say where a batch of codes came from, in words, by a file, or both; what is not given stays",
    params: idParam,
    body: z.object({ note: batchNote.optional() }),
    upload: batchFile,
    versioned: true,
    idempotent: true,
    reply: saved,
  }),
  file: endpoint({
    method: "GET",
    path: "/api/v1/tracking/batches/:id/file",
    access: "admin",
    summary: "Download the file that shows where a batch of codes came from",
    params: idParam,
    reply: download,
  }),
  withdraw: endpoint({
    method: "POST",
    path: "/api/v1/tracking/batches/:id/withdraw",
    access: "admin",
    summary: "Delete the codes of a batch that are not used",
    params: idParam,
    reply: message.extend({ withdrawn: z.int() }),
  }),
};
