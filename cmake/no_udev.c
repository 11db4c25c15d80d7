/* SPDX-License-Identifier: MIT */
/* For -DPORTABLE=ON: hwloc's archive asks udev for the names of disks, which are not measured. Without udev it goes
 * on as where none is running. */
#include <stddef.h>

void *udev_new(void);
void *udev_unref(void *udev);
void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name);
const char *udev_device_get_property_value(void *device, const char *key);
void *udev_device_unref(void *device);

void *udev_new(void)
{
    return NULL;
}

void *udev_unref(void *udev)
{
    return NULL;
}

void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name)
{
    return NULL;
}

const char *udev_device_get_property_value(void *device, const char *key)
{
    return NULL;
}

void *udev_device_unref(void *device)
{
    return NULL;
}
