export function specification(): object { return {}; }
