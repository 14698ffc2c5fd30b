export { openTelemetry, type Telemetry } from './export.ts'
export { type OtlpSettings, otlpFrom } from './settings.ts'
