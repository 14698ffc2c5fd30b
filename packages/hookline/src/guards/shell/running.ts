/** Names of what runs: what must go on running, and what is many things at once. */

/** Names of programs that watch over the agent, or are it. */
export const WATCHES = /hookline|claude|crush|gemini|codex|hooks?d?$/i

/** Patterns that stand for every process, and processes without which nothing else runs. */
export const EVERY = /^(?:\.|\.\*|\*|.|systemd|init|launchd|sshd|\.\+|\^|\$|\[a-z\]\S*)$/

/** Programs that watch over a machine. */
export const PROTECTORS =
  /^(?:auditd|clamd|freshclam|rsyslogd|syslogd|syslog-ng|journald|systemd-journald|falcon-sensor|falco|osqueryd|wazuh-\w+|ossec\S*|crowdsec|fail2ban\S*|apparmor\S*|mdatp|sentinelone\S*|aide|tripwire|suricata|snort)$/i

/** By this name alone, programs run that have nothing to do with one another: the agent, its guard, a session. */
export const isBroad = (name: string): boolean =>
  EVERY.test(name) ||
  /^(?:\/\S*\/)?(?:node(?:js)?|python[\d.]*|java|ruby|php|perl|dotnet|bun|deno|(?:ba|z|da|k|fi)?sh|login|tmux(?:: server)?|screen|zellij|ssh|ssh-agent|gpg-agent|sudo|dockerd|docker|containerd(?:-shim)?|podman|kubelet|dbus-daemon|networkmanager|wpa_supplicant|xorg|xwayland|gnome-shell|plasmashell|kwin\w*|sway|hyprland|gdm\d*|sddm|lightdm|windowserver|loginwindow|finder|explorer|lsass|winlogon|csrss|svchost)$/i.test(
    name,
  )
