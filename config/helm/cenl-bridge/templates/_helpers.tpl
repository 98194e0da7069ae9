{{/* The names of a StatefulSet and its pods end in something of their own, within 63 characters. */}}
{{- define "cenl-bridge.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- .Values.fullnameOverride | default $name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "cenl-bridge.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cenl-bridge.metadata" -}}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "cenl-bridge.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The settings as JSON. What the chart sets itself they may not say. */}}
{{- define "cenl-bridge.settings" -}}
{{- $settings := fromToml .Values.settings -}}
{{- with $settings.Error }}{{ fail (printf "settings: no TOML: %s" .) }}{{ end -}}
{{- range list "listen" "outside_loopback" "hosts" -}}
{{-   if hasKey ($settings.admin | default dict) . -}}
{{-     fail (printf "settings: [admin] %s is set by the chart: leave it out, and see the value `admin`" .) -}}
{{-   end -}}
{{- end -}}
{{- toJson $settings -}}
{{- end }}

{{/* The listeners that other pods can reach, as a JSON list of name and port. */}}
{{- define "cenl-bridge.listeners" -}}
{{- $settings := include "cenl-bridge.settings" . | fromJson -}}
{{- $listeners := list -}}
{{- range $kind, $default := dict "http" "127.0.0.1:8080" "consent" "127.0.0.1:8081" -}}
{{-   range $name, $table := index $settings $kind -}}
{{-     $listen := $table.listen | default $default -}}
{{-     $port := regexFind "[0-9]+$" $listen -}}
{{-     if not $port -}}
{{-       fail (printf "settings: [%s.%s] listen = %q: the chart needs the port itself, to publish it" $kind $name $listen) -}}
{{-     end -}}
{{-     if not (regexMatch "^(127\\.|localhost:|\\[::1\\]:)" $listen) -}}
{{-       $listeners = append $listeners (dict "name" (printf "%s-%s" $kind $port) "port" (int $port)) -}}
{{-     end -}}
{{-   end -}}
{{- end -}}
{{- toJson $listeners -}}
{{- end }}

{{/* What the chart adds to the settings, as variables. */}}
{{- define "cenl-bridge.variables" -}}
{{- $pods := printf "$(POD_NAME).%s-pods.%s.svc" (include "cenl-bridge.fullname" .) .Release.Namespace -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: CENL__ADMIN__LISTEN
  value: 0.0.0.0:{{ .Values.admin.port }}
- name: CENL__ADMIN__OUTSIDE_LOOPBACK
  value: "true"
- name: CENL__ADMIN__HOSTS
  value: {{ prepend .Values.admin.hosts $pods | join "," | quote }}
{{- if .Values.kafkaInstance }}
{{- range $name, $table := (include "cenl-bridge.settings" . | fromJson).kafka }}
{{- /* Brokers that keep the members themselves want none: config/README.md. */}}
{{- if ne (get ($table.properties | default dict) "group.protocol") "consumer" }}
- name: CENL__KAFKA__{{ $name | upper | replace "-" "_" }}__INSTANCE
  value: $(POD_NAME)
{{- end }}
{{- end }}
{{- end }}
{{- end }}
