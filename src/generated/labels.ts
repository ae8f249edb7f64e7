// Made by `npm run generate` from schemas/. Do not edit.

/**
 * The columns that hold a dimension of capabilities, with their names in the dbt models. `prices`: those of both datasets that make a
 * price of its own.
 */
export const labels = {
  "usage": [
    {
      "dimension": "model",
      "column": "x_ModelId",
      "name": "model_id"
    },
    {
      "dimension": "project",
      "column": "x_ProjectId",
      "name": "project_id"
    },
    {
      "dimension": "workspace",
      "column": "x_WorkspaceId",
      "name": "workspace_id"
    },
    {
      "dimension": "api_key",
      "column": "x_ApiKeyId",
      "name": "api_key_id"
    },
    {
      "dimension": "service_tier",
      "column": "x_ServiceTier",
      "name": "service_tier"
    },
    {
      "dimension": "workload_type",
      "column": "x_WorkloadType",
      "name": "workload_type"
    },
    {
      "dimension": "upstream_provider",
      "column": "x_UpstreamProvider",
      "name": "upstream_provider"
    }
  ],
  "costs": [
    {
      "dimension": "model",
      "column": "x_ModelId",
      "name": "model_id"
    },
    {
      "dimension": "project",
      "column": "x_ProjectId",
      "name": "project_id"
    },
    {
      "dimension": "workspace",
      "column": "x_WorkspaceId",
      "name": "workspace_id"
    },
    {
      "dimension": "api_key",
      "column": "x_ApiKeyId",
      "name": "api_key_id"
    },
    {
      "dimension": "service_tier",
      "column": "x_ServiceTier",
      "name": "service_tier"
    },
    {
      "dimension": "workload_type",
      "column": "x_WorkloadType",
      "name": "workload_type"
    },
    {
      "dimension": "upstream_provider",
      "column": "x_UpstreamProvider",
      "name": "upstream_provider"
    }
  ],
  "prices": [
    {
      "dimension": "model",
      "column": "x_ModelId",
      "name": "model_id"
    },
    {
      "dimension": "service_tier",
      "column": "x_ServiceTier",
      "name": "service_tier"
    },
    {
      "dimension": "workload_type",
      "column": "x_WorkloadType",
      "name": "workload_type"
    },
    {
      "dimension": "upstream_provider",
      "column": "x_UpstreamProvider",
      "name": "upstream_provider"
    }
  ]
} as const;
